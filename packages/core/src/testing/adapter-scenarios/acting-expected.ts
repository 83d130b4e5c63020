import type { ExpectedResult } from "./scenario.ts";

/** Events and wire of the scenarios of acting.ts, on every host. */
export const actingExpected: Readonly<Record<string, ExpectedResult>> = {
  "refuses a call in gate mode: it is not executed, its neighbour is": {
    events: `
turn.started turn=1
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=2
tool.requested turn=1 index=0 tool="broken_tool" input={} meaning={"activity":"other"}
tool.refused by="no-breaking" turn=1 tool="broken_tool" text="That tool is broken." applied=true
tool.requested turn=1 index=1 tool="read_file" input={"path":"a.ts"}
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
tool.finished turn=1 index=1 tool="read_file" outcome="ok" output="text of a.ts"
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
turn.started turn=2
model.answered turn=2 usage={"inputTokens":10,"outputTokens":2} finishReason="stop" textLength=5 toolCalls=0
message.sent turn=2 length=5 hash="10sh33d87n1" excerpt="Done."
finish.requested turn=2 text="Done."
run.finished turn=2 reason="done" verified=false phase="working" outcome="completed"
`,
    wire: "user | assistant(broken_tool, read_file) | tool | tool",
  },
  "lets the same call through in observe mode, and records what gate would have done": {
    events: `
turn.started turn=1
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=2
tool.requested turn=1 index=0 tool="broken_tool" input={} meaning={"activity":"other"}
tool.refused by="no-breaking" turn=1 tool="broken_tool" text="That tool is broken." applied=false
tool.requested turn=1 index=1 tool="read_file" input={"path":"a.ts"}
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
tool.finished turn=1 index=0 tool="broken_tool" outcome="error" output="disk is full" meaning={"activity":"other"}
tool.finished turn=1 index=1 tool="read_file" outcome="ok" output="text of a.ts"
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
turn.started turn=2
model.answered turn=2 usage={"inputTokens":10,"outputTokens":2} finishReason="stop" textLength=5 toolCalls=0
message.sent turn=2 length=5 hash="10sh33d87n1" excerpt="Done."
finish.requested turn=2 text="Done."
run.finished turn=2 reason="done" verified=false phase="working" outcome="completed"
`,
    wire: "user | assistant(broken_tool, read_file) | tool | tool",
  },
  "nudges once, after all results, and keeps the nudge where it is": {
    events: `
turn.started turn=1
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=1 index=0 tool="read_file" input={"path":"a.ts"}
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
tool.finished turn=1 index=0 tool="read_file" outcome="ok" output="text of a.ts"
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
turn.started turn=2
model.answered turn=2 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=2
tool.requested turn=2 index=0 tool="read_file" input={"path":"b.ts"}
  meaning={"activity":"read","targets":["b.ts"],"mutates":false}
tool.requested turn=2 index=1 tool="read_file" input={"path":"c.ts"}
  meaning={"activity":"read","targets":["c.ts"],"mutates":false}
tool.finished turn=2 index=0 tool="read_file" outcome="ok" output="text of b.ts"
  meaning={"activity":"read","targets":["b.ts"],"mutates":false}
tool.finished turn=2 index=1 tool="read_file" outcome="ok" output="text of c.ts"
  meaning={"activity":"read","targets":["c.ts"],"mutates":false}
turn.started turn=3
nudge.sent by="too-long" turn=3 nudge="nudge-1" text="You have read enough. Change the code." episode="working#1"
  applied=true
model.answered turn=3 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=3 index=0 tool="read_file" input={"path":"d.ts"}
  meaning={"activity":"read","targets":["d.ts"],"mutates":false}
tool.finished turn=3 index=0 tool="read_file" outcome="ok" output="text of d.ts"
  meaning={"activity":"read","targets":["d.ts"],"mutates":false}
turn.started turn=4
model.answered turn=4 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=4 index=0 tool="edit_file" input={"path":"a.ts"}
  meaning={"activity":"edit","targets":["a.ts"],"mutates":true}
tool.finished turn=4 index=0 tool="edit_file" outcome="ok" output="wrote a.ts"
  meaning={"activity":"edit","targets":["a.ts"],"mutates":true}
turn.started turn=5
model.answered turn=5 usage={"inputTokens":10,"outputTokens":2} finishReason="stop" textLength=5 toolCalls=0
message.sent turn=5 length=5 hash="10sh33d87n1" excerpt="Done."
finish.requested turn=5 text="Done."
run.finished turn=5 reason="done" verified=false phase="working" outcome="completed"
`,
    wire:
      "user | assistant(read_file) | tool | assistant(read_file, read_file) | tool | tool | " +
      "user:phasekit | assistant(read_file) | tool | assistant(edit_file) | tool",
  },
  "sends a finish without tests back, and accepts it after them": {
    events: `
turn.started turn=1
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=1 index=0 tool="edit_file" input={"path":"a.ts"}
  meaning={"activity":"edit","targets":["a.ts"],"mutates":true}
tool.finished turn=1 index=0 tool="edit_file" outcome="ok" output="wrote a.ts"
  meaning={"activity":"edit","targets":["a.ts"],"mutates":true}
turn.started turn=2
model.answered turn=2 usage={"inputTokens":10,"outputTokens":2} finishReason="stop" textLength=5 toolCalls=0
message.sent turn=2 length=5 hash="10sh33d87n1" excerpt="Done."
finish.requested turn=2 text="Done."
finish.vetoed by="tested" turn=2 gate="tested" text="Run the tests first." applied=true
turn.started turn=3
model.answered turn=3 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=3 index=0 tool="run_tests" input={} meaning={"activity":"test"}
tool.finished turn=3 index=0 tool="run_tests" outcome="ok" output={"exitCode":0,"stdout":"1 passed"} exitCode=0
  meaning={"activity":"test","tests":{"verdict":"pass"}}
turn.started turn=4
model.answered turn=4 usage={"inputTokens":10,"outputTokens":2} finishReason="stop" textLength=17 toolCalls=0
message.sent turn=4 length=17 hash="12y69y4oks7" excerpt="Done, and tested."
finish.requested turn=4 text="Done, and tested."
finish.vouched by="tested" turn=4 gate="tested" verdict="pass" evidence="tests passed"
run.finished turn=4 reason="done" verified=true phase="working" outcome="completed"
`,
    wire: "user | assistant(edit_file) | tool | assistant | user:phasekit | assistant(run_tests) | tool",
  },
  "does not argue endlessly: a finish that changes nothing is accepted as unverified": {
    events: `
turn.started turn=1
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="stop" textLength=5 toolCalls=0
message.sent turn=1 length=5 hash="10sh33d87n1" excerpt="Done."
finish.requested turn=1 text="Done."
finish.vetoed by="tested" turn=1 gate="tested" text="Run the tests first." applied=true
turn.started turn=2
model.answered turn=2 usage={"inputTokens":10,"outputTokens":2} finishReason="stop" textLength=12 toolCalls=0
message.sent turn=2 length=12 hash="acln6126b8" excerpt="Really done."
finish.requested turn=2 text="Really done."
finish.vetoed by="tested" turn=2 gate="tested" text="Run the tests first." held="unchanged" applied=false
run.finished turn=2 reason="done_unverified" verified=false phase="working" outcome="completed"
`,
    wire: "user | assistant | user:phasekit",
  },
  "refuses a repeating run, then takes one closing turn without tools": {
    events: `
turn.started turn=1
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=1 index=0 tool="read_file" input={"path":"a.ts"}
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
tool.finished turn=1 index=0 tool="read_file" outcome="ok" output="text of a.ts"
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
turn.started turn=2
model.answered turn=2 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=2 index=0 tool="read_file" input={"path":"a.ts"}
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
tool.finished turn=2 index=0 tool="read_file" outcome="ok" output="text of a.ts"
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
turn.started turn=3
model.answered turn=3 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=3 index=0 tool="read_file" input={"path":"a.ts"}
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
tool.refused by="repeating" turn=3 tool="read_file" text="The same call again: it will not change." applied=true
turn.started turn=4
model.answered turn=4 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=4 index=0 tool="read_file" input={"path":"a.ts"}
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
tool.refused by="repeating" turn=4 tool="read_file" text="The same call again: it will not change." applied=true
turn.started turn=5
model.answered turn=5 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=5 index=0 tool="read_file" input={"path":"a.ts"}
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
tool.refused by="repeating" turn=5 tool="read_file" text="The same call again: it will not change." applied=true
stop.requested by="repeating" turn=5 reason="policy_stop" how="wrap-up" applied=true
turn.started turn=6
model.answered turn=6 usage={"inputTokens":10,"outputTokens":2} finishReason="stop" textLength=12 toolCalls=0
message.sent turn=6 length=12 hash="j8zssx8a0t" excerpt="I was stuck."
run.finished turn=6 reason="policy_stop" verified=false phase="working" outcome="failed"
`,
    wire:
      "user | assistant(read_file) | tool | assistant(read_file) | tool | assistant(read_file) | tool | " +
      "assistant(read_file) | tool | assistant(read_file) | tool | user:phasekit",
  },
  "wraps up at a limit the user wrote, in nudge mode too": {
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
turn.started turn=3
stop.requested by="budget" turn=3 reason="turn_limit" how="wrap-up"
  text="The limit of turns for this run is reached. Use no more tools. Say what is done, what is not, and
  what should happen next." applied=true
model.answered turn=3 usage={"inputTokens":10,"outputTokens":2} finishReason="stop" textLength=13 toolCalls=0
message.sent turn=3 length=13 hash="289htzv4wyy" excerpt="Not finished."
run.finished turn=3 reason="turn_limit" verified=false phase="working" outcome="failed"
`,
    wire: "user | assistant(read_file) | tool | assistant(read_file) | tool | user:phasekit",
  },
  "stops after the results, with no call left open": {
    events: `
turn.started turn=1
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=2
tool.requested turn=1 index=0 tool="edit_file" input={"path":"a.ts"}
  meaning={"activity":"edit","targets":["a.ts"],"mutates":true}
tool.requested turn=1 index=1 tool="read_file" input={"path":"b.ts"}
  meaning={"activity":"read","targets":["b.ts"],"mutates":false}
tool.finished turn=1 index=0 tool="edit_file" outcome="ok" output="wrote a.ts"
  meaning={"activity":"edit","targets":["a.ts"],"mutates":true}
stop.requested by="one-edit" turn=1 reason="policy_stop" how="halt" applied=true
tool.finished turn=1 index=1 tool="read_file" outcome="ok" output="text of b.ts"
  meaning={"activity":"read","targets":["b.ts"],"mutates":false}
run.finished turn=1 reason="policy_stop" verified=false phase="working" outcome="failed"
`,
    wire: "user",
  },
  "follows the phase: its tools and its model": {
    events: `
turn.started turn=1
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=1 index=0 tool="edit_file" input={"path":"a.ts"}
  meaning={"activity":"edit","targets":["a.ts"],"mutates":true}
tool.refused by="phase-rules" turn=1 tool="edit_file"
  text="The tool \\"edit_file\\" is not used in the phase \\"looking\\"." applied=true
turn.started turn=2
model.answered turn=2 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=2 index=0 tool="read_file" input={"path":"a.ts"}
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
tool.finished turn=2 index=0 tool="read_file" outcome="ok" output="text of a.ts"
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
phase.transition by="mover" turn=2 from="looking" to="changing" actor="policy" reason="read enough"
  outcome="completed" entry="looking#1"
  metrics={"turns":2,"iterations":2,"toolCalls":2,"toolErrors":0,"inputTokens":20,"outputTokens":4,"filesRead":1}
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
run.finished turn=4 reason="done" verified=false phase="changing" outcome="completed"
`,
    wire: "user | assistant(edit_file) | tool | assistant(read_file) | tool | assistant(edit_file) | tool",
  },
  "keeps the host's model for an unknown label, and says so once": {
    events: `
turn.started turn=1
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=1 index=0 tool="read_file" input={"path":"a.ts"}
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
tool.finished turn=1 index=0 tool="read_file" outcome="ok" output="text of a.ts"
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
phase.transition by="mover" turn=1 from="looking" to="changing" actor="policy" reason="read enough"
  outcome="completed" entry="looking#1"
  metrics={"turns":1,"iterations":1,"toolCalls":1,"toolErrors":0,"inputTokens":10,"outputTokens":2,"filesRead":1}
turn.started turn=2
event.recorded turn=2 name="model.unresolved" data={"label":"small"}
model.answered turn=2 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=2 index=0 tool="read_file" input={"path":"b.ts"}
  meaning={"activity":"read","targets":["b.ts"],"mutates":false}
tool.finished turn=2 index=0 tool="read_file" outcome="ok" output="text of b.ts"
  meaning={"activity":"read","targets":["b.ts"],"mutates":false}
turn.started turn=3
model.answered turn=3 usage={"inputTokens":10,"outputTokens":2} finishReason="stop" textLength=5 toolCalls=0
message.sent turn=3 length=5 hash="10sh33d87n1" excerpt="Done."
finish.requested turn=3 text="Done."
run.finished turn=3 reason="done" verified=false phase="changing" outcome="completed"
`,
    wire: "user | assistant(read_file) | tool | assistant(read_file) | tool",
  },
  "waits for the reviewer before the turn, and tells that turn what was said": {
    events: `
turn.started turn=1
model.answered turn=1 usage={"inputTokens":10,"outputTokens":2} finishReason="tool-calls" textLength=0 toolCalls=1
tool.requested turn=1 index=0 tool="read_file" input={"path":"a.ts"}
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
tool.finished turn=1 index=0 tool="read_file" outcome="ok" output="text of a.ts"
  meaning={"activity":"read","targets":["a.ts"],"mutates":false}
turn.started turn=2
review.requested by="reviewed" turn=2 review="reviewed:1" kind="budget" text="Should it continue?" episode="working#1"
  applied=true
review.finished turn=2 review="reviewed:1" verdict="approve" feedback="Continue." reviewer="lead" waited=true
nudge.sent by="reviewed" turn=2 nudge="nudge-1" text="Continue." episode="working#1" applied=true
model.answered turn=2 usage={"inputTokens":10,"outputTokens":2} finishReason="stop" textLength=5 toolCalls=0
message.sent turn=2 length=5 hash="10sh33d87n1" excerpt="Done."
finish.requested turn=2 text="Done."
run.finished turn=2 reason="done" verified=false phase="working" outcome="completed"
`,
    wire: "user | assistant(read_file) | tool | user:phasekit",
  },
};
