"""Bulk forms: the language over all positions of a build at once. See `terms` for the idea."""

from mlirad.rules.bulk.readings import Reader
from mlirad.rules.bulk.table import BULK_RULES
from mlirad.rules.bulk.terms import Term

__all__ = ["BULK_RULES", "Reader", "Term"]
