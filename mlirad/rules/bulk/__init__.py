"""Bulk forms: the language over all positions of a build at once. See `terms` for the idea."""

from mlirad.rules.bulk.computing_readings import COMPUTING_RULES
from mlirad.rules.bulk.paths import Paths
from mlirad.rules.bulk.placing_readings import PLACING_RULES
from mlirad.rules.bulk.reader import Reader
from mlirad.rules.bulk.table import BULK_RULES, CONTROL_RULES
from mlirad.rules.bulk.terms import Term

__all__ = ["BULK_RULES", "COMPUTING_RULES", "CONTROL_RULES", "PLACING_RULES", "Paths", "Reader", "Term"]
