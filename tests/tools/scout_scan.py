"""Makes a log of Inspect with a scripted model in the folder logs/, and scans it with scanners that need no model."""

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.event import ToolEvent
from inspect_ai.model import ChatMessage, ModelAPI, ModelOutput, modelapi
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import ToolError, tool
from inspect_scout import Reference, Result, Scanner, Transcript, grep_scanner, scan, scanner, transcripts_from


@tool
def divide():
    async def execute(a: int, b: int) -> str:
        """Divides.

        Args:
            a: dividend
            b: divisor
        """
        if b == 0:
            raise ToolError("division by zero")
        return str(a // b)

    return execute


@modelapi(name="scripted")
class Scripted(ModelAPI):
    async def generate(self, input, tools, tool_choice, config):
        calls = [ModelOutput.for_tool_call("scripted", "divide", {"a": 4, "b": b}) for b in (0, 2)]
        return [*calls, ModelOutput.from_content("scripted", "It is 2.")][sum(it.role == "assistant" for it in input)]

    # Otherwise it is counted with a table that is downloaded.
    async def count_tokens(self, input, config=None):
        return 1


@scanner(messages="all", events="all")
def failed_calls() -> Scanner[Transcript]:
    async def execute(transcript: Transcript) -> Result:
        failed = [event for event in transcript.events if isinstance(event, ToolEvent) and event.error]
        places = [Reference(type="event", cite=f"[E{number}]", id=event.uuid) for number, event in enumerate(failed, 1)]
        return Result(value=len(failed), explanation="A call failed.", references=places)

    return execute


@scanner(messages=["assistant"])
def answers() -> Scanner[ChatMessage]:
    async def execute(message: ChatMessage) -> Result:
        return Result(value="It is" in message.text, explanation="It answers.")

    return execute


@scanner(messages="all")
def roles() -> Scanner[Transcript]:
    async def execute(transcript: Transcript) -> list[Result]:
        cite = [(it, Reference(type="message", cite="[M]", id=it.id)) for it in transcript.messages]
        return [Result(value=message.role, label="role", references=[place]) for message, place in cite]

    return execute


@scanner(messages="all")
def whole() -> Scanner[Transcript]:
    async def execute(transcript: Transcript) -> Result:
        return Result(value=True, explanation="About the transcript.")

    return execute


@scanner(messages="all")
def broken() -> Scanner[Transcript]:
    async def execute(transcript: Transcript) -> Result:
        raise ValueError("a fault")

    return execute


if __name__ == "__main__":
    dataset = [Sample(id="one", input="What is 4/2?", target="2")]
    task = Task(dataset=dataset, solver=[use_tools(divide()), generate()], scorer=includes(), name="division")
    eval(task, model="scripted/model", log_dir="logs", log_format="eval", display="none")
    scanners = [failed_calls(), answers(), roles(), whole(), broken(), grep_scanner(["error"], name="errors")]
    scan(scanners, transcripts=transcripts_from("logs"), scans="scans", display="none", max_processes=1)
