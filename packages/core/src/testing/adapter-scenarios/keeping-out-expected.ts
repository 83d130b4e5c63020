import type { ExpectedResult } from "./scenario.ts";

/** Events and wire of the scenarios of keeping-out.ts, on every host. */
export const keepingOutExpected: Readonly<Record<string, ExpectedResult>> = {
  "changes nothing when a policy throws": {
    events: `
turn.started turn=1
policy.failed by="throwing" turn=1 policy="throwing" during="decide"
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=2
tool.requested turn=1 index=0 tool="read_file" input={"path":"a.ts"}
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
policy.failed by="throwing" turn=1 policy="throwing" during="decide"
tool.requested turn=1 index=1 tool="edit_file" input={"path":"b.ts"}
  meaning={"activity":"edit","targets":["b.ts"],"mutates":true}
policy.failed by="throwing" turn=1 policy="throwing" during="decide"
tool.finished turn=1 index=0 tool="read_file" outcome="ok" output="text of a.ts"
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
tool.finished turn=1 index=1 tool="edit_file" outcome="ok" output="wrote b.ts"
  meaning={"activity":"edit","targets":["b.ts"],"mutates":true}
turn.started turn=2
model.answered turn=2 usage={"inputTokens":10,"outputTokens":2} finishReason="stop" textLength=5 toolCalls=0
message.sent turn=2 length=5 hash="10sh33d87n1" excerpt="Done."
finish.requested turn=2 text="Done."
run.finished turn=2 reason="done" verified=false phase="working" outcome="completed"
`,
    wire: "user | assistant(read_file, edit_file) | tool | tool",
  },
  "changes nothing when a subscriber throws": {
    events: `
turn.started turn=1
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=2
tool.requested turn=1 index=0 tool="read_file" input={"path":"a.ts"}
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
tool.requested turn=1 index=1 tool="edit_file" input={"path":"b.ts"}
  meaning={"activity":"edit","targets":["b.ts"],"mutates":true}
tool.finished turn=1 index=0 tool="read_file" outcome="ok" output="text of a.ts"
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
tool.finished turn=1 index=1 tool="edit_file" outcome="ok" output="wrote b.ts"
  meaning={"activity":"edit","targets":["b.ts"],"mutates":true}
turn.started turn=2
model.answered turn=2 usage={"inputTokens":10,"outputTokens":2} finishReason="stop" textLength=5 toolCalls=0
message.sent turn=2 length=5 hash="10sh33d87n1" excerpt="Done."
finish.requested turn=2 text="Done."
run.finished turn=2 reason="done" verified=false phase="working" outcome="completed"
`,
    wire: "user | assistant(read_file, edit_file) | tool | tool",
  },
};
