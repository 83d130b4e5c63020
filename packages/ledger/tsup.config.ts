import { library } from "@phasekit/tooling/tsup";

export default library({ entries: ["index", "node", "schema", "story", "testing", "node/keep", "keep-elsewhere"] });
