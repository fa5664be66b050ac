"""Plays scripted episodes with OpenEnv's own client; run by whatever interpreter has the package.

python openenv_play.py URL < EPISODES      # [[reset arguments, [action, ...]], ...] -> results as JSON
"""

import asyncio
import json
import sys

from openenv.core.generic_client import GenericEnvClient


async def play(url: str, episodes: list) -> list:
    """Observations, rewards and endings of each episode, its state, and the error of a bad action."""
    played = []
    async with GenericEnvClient(base_url=url, message_timeout_s=30) as env:
        for reset, actions in episodes:
            results = [await env.reset(**reset)]
            results += [await env.step(action) for action in actions]
            state = await env.state()
            try:
                await env.step({"tool_name": "too late"})
                error = ""
            except RuntimeError as e:
                error = str(e)
            played.append(
                {"results": [[r.observation, r.reward, r.done] for r in results], "state": state, "error": error}
            )
    return played


if __name__ == "__main__":
    json.dump(asyncio.run(play(sys.argv[1], json.load(sys.stdin))), sys.stdout)
