"""The example models: plain jax.numpy, weights from seeded generators.

Each function takes a configuration and returns a `Model`; `MODELS` lists them with the published size and a
tiny one, which has every operation of the large one and compiles in a moment.
"""

from . import language, training, vision
from .layers import Model

# name: (maker, the published configuration, the tiny one)
MODELS = {
    "resnet50": (vision.resnet, vision.RESNET50, vision.RESNET_TINY),
    "mobilenet": (vision.mobilenet, vision.MOBILENET, vision.MOBILENET_TINY),
    "vit": (vision.vit, vision.VIT_B16, vision.VIT_TINY),
    "unet": (vision.unet, vision.UNET, vision.UNET_TINY),
    "bert": (language.bert, language.BERT_BASE, language.BERT_TINY),
    "gpt2": (language.gpt2, language.GPT2_SMALL, language.GPT2_TINY),
    "gpt2_decode": (language.gpt2_decode, language.GPT2_SMALL, language.GPT2_TINY),
    "lstm": (language.lstm, language.LSTM, language.LSTM_TINY),
    "cnn_train": (training.cnn_step, training.CNN, training.CNN_TINY),
}

# Those that are exported a second time with their weights as constants.
EMBEDDED = {"resnet50", "mobilenet", "unet", "gpt2", "lstm"}

__all__ = ["EMBEDDED", "MODELS", "Model"]
