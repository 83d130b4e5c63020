import type { NewEvent } from "@phasekit/core";
import { defined, nameIn, toObject } from "@phasekit/core/adapter";
import { objectsIn } from "../parse/loose-json.ts";

const TODO_TOOLS: ReadonlySet<string> = new Set([
  "todowrite",
  "todo_write",
  "write_todos",
  "update_plan",
  "task_tracker",
  "update_todos",
  "todo",
]);

/** The list of todos a call of a coding agent's own todo tool writes; `undefined` for any other call. */
export function todosOf(tool: string, input: unknown): NewEvent<"todos.updated"> | undefined {
  if (!TODO_TOOLS.has(tool.toLowerCase())) return undefined;
  const { todos, plan, task_list: tasks, items } = toObject(input);
  const found = [todos, plan, tasks, items].find(Array.isArray);
  if (found === undefined) return undefined;
  const list = objectsIn(found).map((todo) => {
    const text = nameIn(todo["content"] ?? todo["step"] ?? todo["description"] ?? todo["title"] ?? todo["text"]);
    const id = nameIn(todo["id"]);
    return {
      status: nameIn(todo["status"]) ?? "pending",
      ...defined({ text, id }),
    };
  });
  return { type: "todos.updated", todos: list };
}
