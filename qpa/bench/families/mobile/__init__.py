"""The families that only the suite "mobile" has, by domain."""

from __future__ import annotations

from qpa.bench.families.base import Family
from qpa.bench.families.mobile.apps import FAMILIES as APPS
from qpa.bench.families.mobile.apps_files import FAMILIES as APPS_FILES
from qpa.bench.families.mobile.apps_find import FAMILIES as APPS_FIND
from qpa.bench.families.mobile.apps_limits import FAMILIES as APPS_LIMITS
from qpa.bench.families.mobile.apps_settings import FAMILIES as APPS_SETTINGS
from qpa.bench.families.mobile.apps_steps import FAMILIES as APPS_STEPS
from qpa.bench.families.mobile.apps_talk import FAMILIES as APPS_TALK
from qpa.bench.families.mobile.security import FAMILIES as SECURITY
from qpa.bench.families.mobile.security_limits import FAMILIES as SECURITY_LIMITS
from qpa.bench.families.mobile.security_talk import FAMILIES as SECURITY_TALK
from qpa.bench.families.mobile.security_vault import FAMILIES as SECURITY_VAULT

MOBILE_FAMILIES: tuple[Family, ...] = (
    *APPS,
    *APPS_SETTINGS,
    *APPS_FILES,
    *APPS_FIND,
    *APPS_STEPS,
    *APPS_TALK,
    *APPS_LIMITS,
    *SECURITY,
    *SECURITY_VAULT,
    *SECURITY_TALK,
    *SECURITY_LIMITS,
)
