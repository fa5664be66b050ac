"""Apps & Storage: apps and their store, permissions and notifications; files, cleanup and what storage is left."""

from __future__ import annotations

from qpa.envs.sandbox.domains import (
    apps_access,
    apps_cleanup,
    apps_files,
    apps_lifecycle,
    apps_notices,
    apps_store,
    apps_world,
)
from qpa.envs.sandbox.domains.apps_core import NAME
from qpa.envs.sandbox.schema import Domain

DOMAIN = Domain(
    name=NAME,
    schema=apps_store.SCHEMA + apps_access.SCHEMA + apps_notices.SCHEMA + apps_cleanup.SCHEMA,
    tools=(
        *apps_lifecycle.TOOLS,
        *apps_store.TOOLS,
        *apps_access.TOOLS,
        *apps_notices.TOOLS,
        *apps_files.TOOLS,
        *apps_cleanup.TOOLS,
    ),
    seed_rows=apps_world.seed_rows,
)
