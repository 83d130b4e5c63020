import type { ExpectedResult } from "./scenario.ts";

/** Events and wire of the scenarios of seeing.ts, on every host. */
export const seeingExpected: Readonly<Record<string, ExpectedResult>> = {
  "sees an answer: usage, why it ended, its text": {
    events: `
turn.started turn=1
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="stop" textLength=6 toolCalls=0
message.sent turn=1 length=6 hash="9auqik0qgv" excerpt="Hello."
finish.requested turn=1 text="Hello."
run.finished turn=1 reason="done" verified=false phase="working" outcome="completed"
`,
    wire: "user",
  },
  "sees parallel calls, one of which fails": {
    events: `
turn.started turn=1
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=7 toolCalls=3
message.sent turn=1 length=7 hash="7h3692be5n" excerpt="I look."
tool.requested turn=1 index=0 tool="read_file" input={"path":"a.ts"}
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
tool.requested turn=1 index=1 tool="broken_tool" input={} meaning={"activity":"other"}
tool.requested turn=1 index=2 tool="read_file" input={"path":"b.ts"}
  meaning={"activity":"read","targets":["b.ts"],"mutates":false}
tool.finished turn=1 index=0 tool="read_file" outcome="ok" output="text of a.ts"
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
tool.finished turn=1 index=1 tool="broken_tool" outcome="error" output="disk is full" meaning={"activity":"other"}
tool.finished turn=1 index=2 tool="read_file" outcome="ok" output="text of b.ts"
  meaning={"activity":"read","targets":["b.ts"],"mutates":false}
turn.started turn=2
model.answered turn=2 usage={"inputTokens":20,"outputTokens":1} finishReason="stop" textLength=5 toolCalls=0
message.sent turn=2 length=5 hash="10sh33d87n1" excerpt="Done."
finish.requested turn=2 text="Done."
run.finished turn=2 reason="done" verified=false phase="working" outcome="completed"
`,
    wire: "user | assistant(read_file, broken_tool, read_file) | tool | tool | tool",
  },
  "knows cached tokens, and knows what it does not know": {
    events: `
turn.started turn=1
model.answered turn=1 usage={"inputTokens":100,"outputTokens":5,"cachedInputTokens":80,"reasoningTokens":3}
  finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=1 index=0 tool="read_file" input={"path":"a.ts"}
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
tool.finished turn=1 index=0 tool="read_file" outcome="ok" output="text of a.ts"
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
turn.started turn=2
model.answered turn=2 finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=2 index=0 tool="read_file" input={"path":"b.ts"}
  meaning={"activity":"read","targets":["b.ts"],"mutates":false}
tool.finished turn=2 index=0 tool="read_file" outcome="ok" output="text of b.ts"
  meaning={"activity":"read","targets":["b.ts"],"mutates":false}
turn.started turn=3
model.answered turn=3 usage={"inputTokens":30,"outputTokens":1} finishReason="stop" textLength=5 toolCalls=0
message.sent turn=3 length=5 hash="10sh33d87n1" excerpt="Done."
finish.requested turn=3 text="Done."
run.finished turn=3 reason="done" verified=false phase="working" outcome="completed"
`,
    wire: "user | assistant(read_file) | tool | assistant(read_file) | tool",
  },
  "sees a call the host denies": {
    events: `
turn.started turn=1
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=1 index=0 tool="deploy" input={} meaning={"activity":"other"}
tool.finished turn=1 index=0 tool="deploy" outcome="denied" output="A person said no." meaning={"activity":"other"}
turn.started turn=2
model.answered turn=2 usage={"inputTokens":20,"outputTokens":2} finishReason="stop" textLength=13 toolCalls=0
message.sent turn=2 length=13 hash="1v5fhke25da" excerpt="Not deployed."
finish.requested turn=2 text="Not deployed."
run.finished turn=2 reason="done" verified=false phase="working" outcome="completed"
`,
    wire: "user | assistant(deploy) | tool",
  },
  "sees a call of a tool that does not exist": {
    events: `
turn.started turn=1
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=1 index=0 tool="imagined" input={} meaning={"activity":"other"}
tool.finished turn=1 index=0 tool="imagined" outcome="error" meaning={"activity":"other"}
turn.started turn=2
model.answered turn=2 usage={"inputTokens":20,"outputTokens":2} finishReason="stop" textLength=5 toolCalls=0
message.sent turn=2 length=5 hash="10sh33d87n1" excerpt="Done."
finish.requested turn=2 text="Done."
run.finished turn=2 reason="done" verified=false phase="working" outcome="completed"
`,
    wire: "user | assistant(imagined) | tool",
  },
  "sees a model that fails": {
    events: `
turn.started turn=1
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=1 index=0 tool="read_file" input={"path":"a.ts"}
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
tool.finished turn=1 index=0 tool="read_file" outcome="ok" output="text of a.ts"
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
turn.started turn=2
model.failed turn=2 status=500 code="server_error"
run.finished turn=2 reason="upstream_unhealthy" verified=false phase="working" outcome="failed"
`,
    wire: "user | assistant(read_file) | tool",
  },
  "sees streamed text, calls and usage as it sees whole ones": {
    events: `
turn.started turn=1
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2,"cachedInputTokens":4} finishReason="tool-calls"
  textLength=21 toolCalls=2
message.sent turn=1 length=21 hash="g1otfdf2fn" excerpt="The password is here."
  found=[{"policy":"secrets","kind":"secret","signature":"password"}]
tool.requested turn=1 index=0 tool="read_file" input={"path":"a.ts"}
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
tool.requested turn=1 index=1 tool="read_file" input={"path":"b.ts"}
  meaning={"activity":"read","targets":["b.ts"],"mutates":false}
tool.finished turn=1 index=0 tool="read_file" outcome="ok" output="text of a.ts"
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
tool.finished turn=1 index=1 tool="read_file" outcome="ok" output="text of b.ts"
  meaning={"activity":"read","targets":["b.ts"],"mutates":false}
turn.started turn=2
model.answered turn=2 usage={"inputTokens":20,"outputTokens":1} finishReason="stop" textLength=5 toolCalls=0
message.sent turn=2 length=5 hash="10sh33d87n1" excerpt="Done."
finish.requested turn=2 text="Done."
run.finished turn=2 reason="done" verified=false phase="working" outcome="completed"
`,
    wire: "user | assistant(read_file, read_file) | tool | tool",
  },
  "sees a call the host gives up": {
    events: `
turn.started turn=1
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=1 index=0 tool="read_file" input={"path":"a.ts"}
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
tool.finished turn=1 index=0 tool="read_file" outcome="ok" output="text of a.ts"
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
turn.started turn=2
model.failed turn=2 code="aborted"
run.finished turn=2 reason="interrupted" verified=false phase="working" outcome="failed"
`,
    wire: "user | assistant(read_file) | tool",
  },
  "sees a stream the host gives up": {
    events: `
turn.started turn=1
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=1 index=0 tool="read_file" input={"path":"a.ts"}
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
tool.finished turn=1 index=0 tool="read_file" outcome="ok" output="text of a.ts"
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
turn.started turn=2
model.failed turn=2 code="aborted"
run.finished turn=2 reason="interrupted" verified=false phase="working" outcome="failed"
`,
    wire: "user | assistant(read_file) | tool",
  },
  "sees what the provider says about quotas": {
    events: `
turn.started turn=1
quota.observed turn=1 remaining=59 limit=60 unit="requests"
quota.observed turn=1 remaining=1000 unit="tokens"
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="stop" textLength=5 toolCalls=0
message.sent turn=1 length=5 hash="10sh33d87n1" excerpt="Done."
finish.requested turn=1 text="Done."
run.finished turn=1 reason="done" verified=false phase="working" outcome="completed"
`,
    wire: "user",
  },
};
