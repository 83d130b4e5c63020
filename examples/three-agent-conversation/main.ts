// Three agents, one phase graph: a person wonders about a search box, and a project manager, a planner and an executor
// take it through all seven phases. Runs offline, without a key, and checks its own result.
import { holdConversation } from "./hold-conversation.ts";
import { createProject } from "./project.ts";
import { createTeam } from "./team.ts";

const project = createProject();
const { conversation, lines } = await holdConversation(createTeam(project), project);
console.log(lines.join("\n").trim());
console.log(`\nChecked: 7 phases, ${conversation.state.roundCount} rounds, ${conversation.run.view.seq} events.`);
