import { library } from "@phasekit/tooling/tsup";

export default library({
  entries: ["index", "node", "schema", "story", "checkpoint", "testing", "node/keep", "keep-elsewhere"],
});
