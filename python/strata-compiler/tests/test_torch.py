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


class Modules(unittest.TestCase):
    def test_a_network(self):
        torch.manual_seed(3)
        model, x = Net().eval(), torch.randn(2, 3, 9, 7)
        compiled = strata.torch.compile(model, x)
        torch.testing.assert_close(compiled(x), model(x).detach(), rtol=1e-5, atol=1e-5)
        # Parameters that change in place are the program's.
        with torch.no_grad():
            model.head.bias += 1
        torch.testing.assert_close(compiled(x), model(x).detach(), rtol=1e-5, atol=1e-5)
        self.assertIn("stablehlo.convolution", compiled.program.stages["input"])

    def test_types_and_views(self):
        model = torch.nn.Linear(4, 3).to(torch.bfloat16)
        x = torch.randn(4, 2, dtype=torch.bfloat16).T
        torch.testing.assert_close(strata.torch.compile(model, x)(x), model(x).detach(), rtol=2e-2, atol=2e-2)

    def test_what_does_not_fit(self):
        compiled = strata.torch.compile(torch.nn.Linear(4, 3), torch.randn(2, 4))
        with self.assertRaises(strata.InputError):
            compiled(torch.randn(3, 4))
        with self.assertRaises(TypeError):
            compiled()


if __name__ == "__main__":
    unittest.main()
