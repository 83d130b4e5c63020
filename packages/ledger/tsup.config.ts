import { library } from "@phasekit/tooling/tsup";

export default library({ entries: ["index", "kit", "node", "schema", "testing", "node/keep", "keep-elsewhere"] });
