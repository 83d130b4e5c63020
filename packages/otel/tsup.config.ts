import { library } from "@phasekit/tooling/tsup";

export default library({ entries: ["index", "live"] });
