/** Events of the parent of a sub-agent. */
export const parentEvents = `
turn.started turn=1
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=1 index=0 tool="delegate" input={"task":"look"} meaning={"activity":"delegate"}
child.started turn=1
child.progressed turn=1 usage={"inputTokens":10,"outputTokens":2} unknownCost=1 toolCalls=1 fingerprints=[]
child.progressed turn=1 usage={"inputTokens":10,"outputTokens":2} unknownCost=1 toolCalls=0 fingerprints=[]
child.finished turn=1 reason="done" verified=false phase="working"
tool.finished turn=1 index=0 tool="delegate" outcome="ok" output="Found it." meaning={"activity":"delegate"}
turn.started turn=2
model.answered turn=2 usage={"inputTokens":10,"outputTokens":2} finishReason="stop" textLength=5 toolCalls=0
message.sent turn=2 length=5 hash="10sh33d87n1" excerpt="Done."
finish.requested turn=2 text="Done."
run.finished turn=2 reason="done" verified=false phase="working" outcome="completed"
`;

/** Events of the sub-agent's own run. */
export const childEvents = `
turn.started turn=1
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=1 index=0 tool="read_file" input={"path":"a.ts"}
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
tool.finished turn=1 index=0 tool="read_file" outcome="ok" output="text of a.ts"
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
turn.started turn=2
model.answered turn=2 usage={"inputTokens":10,"outputTokens":2} finishReason="stop" textLength=9 toolCalls=0
message.sent turn=2 length=9 hash="21pjgfolob6" excerpt="Found it."
finish.requested turn=2 text="Found it."
run.finished turn=2 reason="done" verified=false phase="working" outcome="completed"
`;
