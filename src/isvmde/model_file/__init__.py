"""Save a fitted model with its preprocessing, and load it without any pickle."""

from .errors import ModelFileError
from .saved import SavedModel, load_model, save_model

__all__ = ["ModelFileError", "SavedModel", "load_model", "save_model"]
