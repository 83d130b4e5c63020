import type { ExpectedResult } from "./scenario.ts";

/** The results of the scenarios in skilled.ts, on every host with the skill. */
export const skilledExpected: Readonly<Record<string, ExpectedResult>> = {
  "ends a run whose last answer was cut at the token limit as answer_truncated": {
    events: `
turn.started turn=1
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=1 index=0 tool="read_file" input={"path":"a.ts"}
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
tool.finished turn=1 index=0 tool="read_file" outcome="ok" output="text of a.ts"
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
turn.started turn=2
model.answered turn=2 usage={"inputTokens":10,"outputTokens":2} finishReason="length" textLength=6 toolCalls=0
message.sent turn=2 length=6 hash="22ro3ww17pe" excerpt="I have"
finish.requested turn=2
run.finished turn=2 reason="answer_truncated" verified=false phase="working" outcome="failed"
`,
    wire: "user | assistant(read_file) | tool",
  },
  "ends a run whose last answer was filtered as content_filtered": {
    events: `
turn.started turn=1
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="content-filter" textLength=1 toolCalls=0
message.sent turn=1 length=1 hash="26omzt2g50k" excerpt="I"
finish.requested turn=1
run.finished turn=1 reason="content_filtered" verified=false phase="working" outcome="failed"
`,
    wire: "user",
  },
  "ends a run whose last answer is empty as answer_empty": {
    events: `
turn.started turn=1
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=1 index=0 tool="read_file" input={"path":"a.ts"}
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
tool.finished turn=1 index=0 tool="read_file" outcome="ok" output="text of a.ts"
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
turn.started turn=2
model.answered turn=2 usage={"inputTokens":10,"outputTokens":2} finishReason="stop" textLength=0 toolCalls=0
finish.requested turn=2
run.finished turn=2 reason="answer_empty" verified=false phase="working" outcome="failed"
`,
    wire: "user | assistant(read_file) | tool",
  },
  "ends a streamed run whose last answer was cut as answer_truncated": {
    events: `
turn.started turn=1
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="length" textLength=6 toolCalls=0
message.sent turn=1 length=6 hash="22ro3ww17pe" excerpt="I have"
finish.requested turn=1
run.finished turn=1 reason="answer_truncated" verified=false phase="working" outcome="failed"
`,
    wire: "user",
  },
  "records the model's reasoning": {
    events: `
turn.started turn=1
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
model.reasoned turn=1 length=14 hash="2a2wsjz4t88" excerpt="I should look."
tool.requested turn=1 index=0 tool="read_file" input={"path":"a.ts"}
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
tool.finished turn=1 index=0 tool="read_file" outcome="ok" output="text of a.ts"
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
turn.started turn=2
model.answered turn=2 usage={"inputTokens":10,"outputTokens":2} finishReason="stop" textLength=5 toolCalls=0
model.reasoned turn=2 length=12 hash="1owlwszdww" excerpt="That was it."
message.sent turn=2 length=5 hash="10sh33d87n1" excerpt="Done."
finish.requested turn=2 text="Done."
run.finished turn=2 reason="done" verified=false phase="working" outcome="completed"
`,
    wire: "user | assistant(read_file) | tool",
  },
  "lets policies watch streamed reasoning": {
    events: `
turn.started turn=1
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="stop" textLength=5 toolCalls=0
model.reasoned turn=1 length=25 hash="1c2nua0eu6v" excerpt="The same again and again."
  found=[{"policy":"chants","kind":"chant","signature":"again"}]
message.sent turn=1 length=5 hash="10sh33d87n1" excerpt="Done."
finish.requested turn=1 text="Done."
run.finished turn=1 reason="done" verified=false phase="working" outcome="completed"
`,
    wire: "user",
  },
  "records the user's message once, and no message of Phasekit": {
    events: `
message.received length=12 hash="19q82m10xce" excerpt="Fix the sum." from="user" inRequest=true
turn.started turn=1
nudge.sent by="always-nudge" turn=1 nudge="nudge-1" text="Carry on." episode="1" applied=true
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=1 index=0 tool="read_file" input={"path":"a.ts"}
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
tool.finished turn=1 index=0 tool="read_file" outcome="ok" output="text of a.ts"
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
turn.started turn=2
nudge.settled by="always-nudge" turn=2 nudge="nudge-1" helped=true
nudge.sent by="always-nudge" turn=2 nudge="nudge-2" text="Carry on." episode="2" applied=true
model.answered turn=2 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=2 index=0 tool="edit_file" input={"path":"a.ts"}
  meaning={"activity":"edit","targets":["a.ts"],"mutates":true}
tool.finished turn=2 index=0 tool="edit_file" outcome="ok" output="wrote a.ts"
  meaning={"activity":"edit","targets":["a.ts"],"mutates":true}
turn.started turn=3
nudge.settled by="always-nudge" turn=3 nudge="nudge-2" helped=true
nudge.sent by="always-nudge" turn=3 nudge="nudge-3" text="Carry on." episode="3" applied=true
model.answered turn=3 usage={"inputTokens":10,"outputTokens":2} finishReason="stop" textLength=5 toolCalls=0
message.sent turn=3 length=5 hash="10sh33d87n1" excerpt="Done."
finish.requested turn=3 text="Done."
run.finished turn=3 reason="done" verified=false phase="working" outcome="completed"
`,
    wire:
      "user | user:phasekit | assistant(read_file) | tool | user:phasekit | " +
      "assistant(edit_file) | tool | user:phasekit",
  },
  "records a history the host has shortened as context.compacted": {
    events: `
turn.started turn=1
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=1 index=0 tool="read_file" input={"path":"a.ts"}
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
tool.finished turn=1 index=0 tool="read_file" outcome="ok" output="text of a.ts"
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
turn.started turn=2
model.answered turn=2 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=2 index=0 tool="read_file" input={"path":"b.ts"}
  meaning={"activity":"read","targets":["b.ts"],"mutates":false}
tool.finished turn=2 index=0 tool="read_file" outcome="ok" output="text of b.ts"
  meaning={"activity":"read","targets":["b.ts"],"mutates":false}
context.compacted summary="a.ts and b.ts were read."
turn.started turn=3
model.answered turn=3 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=3 index=0 tool="edit_file" input={"path":"a.ts"}
  meaning={"activity":"edit","targets":["a.ts"],"mutates":true}
tool.finished turn=3 index=0 tool="edit_file" outcome="ok" output="wrote a.ts"
  meaning={"activity":"edit","targets":["a.ts"],"mutates":true}
turn.started turn=4
model.answered turn=4 usage={"inputTokens":10,"outputTokens":2} finishReason="stop" textLength=5 toolCalls=0
message.sent turn=4 length=5 hash="10sh33d87n1" excerpt="Done."
finish.requested turn=4 text="Done."
run.finished turn=4 reason="done" verified=false phase="working" outcome="completed"
`,
    wire: "user | assistant(read_file) | tool | assistant(edit_file) | tool",
  },
};
