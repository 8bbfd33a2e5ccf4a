"""PyTorch modules."""

import unittest

import torch

import strata
import strata.torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(8)
        self.head = torch.nn.Linear(8, 5)

    def forward(self, x):
        return torch.log_softmax(self.head(torch.relu(self.norm(self.conv(x))).mean((2, 3))), -1)


class Residual(torch.nn.Module):
    """Strides, groups, dilation, pooling, and a sum of two paths."""

    def __init__(self):
        super().__init__()
        nn = torch.nn
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 5, stride=2, padding=2, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        self.body = nn.Sequential(nn.Conv2d(8, 8, 3, padding=2, dilation=2, groups=4), nn.BatchNorm2d(8), nn.SiLU())
        self.head = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 5))
        for one in self.modules():
            if isinstance(one, nn.BatchNorm2d):
                nn.init.uniform_(one.running_mean, -1, 1)
                nn.init.uniform_(one.running_var, 0.5, 2)

    def forward(self, x):
        x = self.stem(x)
        return self.head(x + self.body(x))


class Tagger(torch.nn.Module):
    """Embeddings and a recurrent network."""

    def __init__(self, kind):
        super().__init__()
        self.words = torch.nn.Embedding(11, 6, padding_idx=0)
        self.recurrent = kind(6, 5, batch_first=True)
        self.head = torch.nn.Linear(5, 3)

    def forward(self, tokens):
        return self.head(self.recurrent(self.words(tokens))[0])


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = torch.nn.Linear(12, 36)

    def forward(self, x):
        split = lambda one: one.unflatten(-1, (3, 4)).transpose(1, 2)
        q, k, v = map(split, self.qkv(x).chunk(3, -1))
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)


class Functions(torch.nn.Module):
    """Indexing, sorting, sums along a dimension, and what has two results."""

    def forward(self, x, index):
        best, places = torch.topk(x, 3, dim=1)
        return best, places, x.cumsum(0), torch.where(x > 0, x, -2 * x), x.gather(1, index), torch.sort(x, 1, descending=True)[0], x.std(1)


class Modules(unittest.TestCase):
    def compare(self, model, *arguments, tolerance=1e-5, **options):
        model = model.eval()
        compiled = strata.torch.compile(model, arguments, **options)
        torch.testing.assert_close(compiled(*arguments), model(*arguments), rtol=tolerance, atol=tolerance)
        return compiled

    def setUp(self):
        torch.manual_seed(3)
        torch.set_grad_enabled(False)

    def test_a_network(self):
        model, x = Net(), torch.randn(2, 3, 9, 7)
        compiled = self.compare(model, x)
        # Parameters that change in place are the program's.
        model.head.bias[1] += 1
        model.conv.weight *= 0.5
        torch.testing.assert_close(compiled(x), model(x), rtol=1e-5, atol=1e-5)
        self.assertIn("stablehlo.convolution", compiled.program.stages["input"])

    def test_vision(self):
        self.compare(Residual(), torch.randn(2, 3, 19, 17))
        self.compare(torch.nn.Sequential(torch.nn.ConvTranspose2d(3, 4, 3, 2, 1, 1), torch.nn.GroupNorm(2, 4), torch.nn.GELU()), torch.randn(1, 3, 5, 4))
        self.compare(torch.nn.Sequential(torch.nn.Upsample(scale_factor=2, mode="bilinear"), torch.nn.AvgPool2d(3, 2, 1)), torch.randn(1, 2, 5, 3))

    def test_sequences(self):
        tokens = torch.tensor([[1, 0, 10, 3, 7], [2, 2, 9, 0, 0], [4, 5, 6, 8, 1]])
        self.compare(Tagger(torch.nn.LSTM), tokens)
        self.compare(Tagger(torch.nn.GRU), tokens)
        # Batches of one are another program.
        self.compare(Tagger(torch.nn.LSTM), tokens[:1])

    def test_attention(self):
        self.compare(Attention(), torch.randn(2, 7, 12))
        self.compare(torch.nn.TransformerEncoderLayer(12, 3, 20, batch_first=True), torch.randn(2, 5, 12), tolerance=1e-4)

    def test_functions(self):
        self.compare(Functions(), torch.randn(4, 6), torch.tensor([[0, 5], [1, 1], [2, 0], [3, 4]]))

    def test_nested_arguments_and_results(self):
        class Nested(torch.nn.Module):
            def forward(self, x, more):
                return {"sum": x + more["y"][0], "rest": [more["z"].argmax(0), None, 3]}

        one = torch.randn(3)
        compiled = self.compare(Nested(), one, {"y": [one + 1], "z": one})
        with self.assertRaisesRegex(TypeError, "takes arguments like"):
            compiled(one, {"y": [one, one], "z": one})

    def test_large_indices(self):
        class Sum(torch.nn.Module):
            def forward(self, x):
                return x * 3 + x.sum()

        self.compare(Sum(), torch.tensor([2**40, -1, 7]))

    def test_a_module_in_training(self):
        model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3)).train()
        x = torch.randn(5, 4)
        compiled = strata.torch.compile(model, x)
        torch.testing.assert_close(compiled(x), model(x), rtol=1e-5, atol=1e-5)

    def test_types_and_views(self):
        model = torch.nn.Linear(4, 3).to(torch.bfloat16)
        x = torch.randn(4, 2, dtype=torch.bfloat16).T
        self.compare(model, x, tolerance=2e-2)
        for dtype in (torch.float16, torch.int32, torch.int8, torch.uint8, torch.bool):
            with self.subTest(dtype):
                self.compare(torch.nn.Flatten(), torch.arange(12).reshape(2, 3, 2).to(dtype))

    def test_scalars_and_nothing(self):
        self.compare(torch.nn.Identity(), torch.tensor(2.5))
        self.compare(torch.nn.Linear(4, 3), torch.randn(0, 4))

    def test_parameters_that_are_prepared(self):
        model, x = Net().eval(), torch.randn(2, 3, 9, 7)
        plain = strata.torch.compile(model, x)(x)
        compiled = strata.torch.compile(model, x, prepare=True)
        # The same bits, and the parameters of then.
        self.assertTrue(torch.equal(compiled(x), plain))
        model.head.weight *= 2
        self.assertTrue(torch.equal(compiled(x), plain))
        compiled.prepare()
        torch.testing.assert_close(compiled(x), model(x), rtol=1e-5, atol=1e-5)
        self.compare(torch.nn.Flatten(), torch.randn(2, 3, 2), prepare=True)
        self.compare(Tagger(torch.nn.LSTM), torch.tensor([[1, 0, 10, 3, 7]]), prepare=True)
        with self.assertRaisesRegex(TypeError, "prepare=True"):
            strata.torch.compile(model, x, prepare="head*")
        with self.assertRaisesRegex(TypeError, "takes no input prepared"):
            strata.torch.compile(model, x).prepare()

    def test_what_does_not_fit(self):
        compiled = strata.torch.compile(torch.nn.Linear(4, 3), torch.randn(2, 4))
        with self.assertRaises(strata.InputError):
            compiled(torch.randn(3, 4))
        with self.assertRaises(TypeError):
            compiled()


if __name__ == "__main__":
    unittest.main()
