"""Save a fitted model with its preprocessing, and load it without any pickle."""

from .contents import ModelFileError
from .files import load_model, save_model
from .saved import SavedModel

__all__ = ["ModelFileError", "SavedModel", "load_model", "save_model"]
