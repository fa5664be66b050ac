"""What the chat tests share: a corpus, JSON glue, and the settings of property tests."""

import random

from hypothesis import settings

PROPERTY = settings(deadline=None, derandomize=True, max_examples=60)

GLUE = ['{"name": "', '", "arguments": {"', '": "', '", "', '"}}', '": ']


def corpus() -> list[str]:
    """400 rendered exchanges; the same every time."""
    rng = random.Random("chat-corpus")
    lines = []
    for _ in range(400):
        time, title = f"{rng.randrange(24):02d}:{rng.randrange(60):02d}", f"Gym {rng.randrange(100)}"
        lines += [
            f"<|im_start|>user\nset an alarm for {time} please<|im_end|>\n<tool_call>",
            f'{{"name": "manage_alarm", "arguments": {{"action": "create", "title": "{title}"}}}}',
            "</tool_call> 闹钟 北京",
        ]
    return lines
