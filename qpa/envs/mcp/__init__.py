"""The tools of MCP servers as an environment (Model Context Protocol, SDK 2.3; extra `mcp`).

    servers = [McpServer(name="files", command=["my-mcp-server", "--root", "/data"])]
    await pin(servers, "mcp.lock.json")          once, then read the file: it is what the planner will see
    env = McpEnv(servers, "mcp.lock.json")       refuses a server whose definitions are not the pinned ones

Importing this package needs the SDK; `qpa.envs` itself does not.
"""

from qpa.envs.mcp.config import McpLimits, McpServer
from qpa.envs.mcp.env import McpEnv, pin
from qpa.envs.mcp.lock import read_lock

__all__ = ["McpEnv", "McpLimits", "McpServer", "pin", "read_lock"]
