import { type EventIssue, type Field, takeFields, type FieldContext } from "../events/field.ts";
import { hostEventFields, type HostType, hostTypes, isCoreType, isHostType } from "../events/run-event.ts";
import type { LooseObject } from "../text/loose-object.ts";
import { describeMessage } from "./message-fields.ts";

type Fields = readonly (readonly [string, Field<unknown>])[];

const fieldsByType = new Map<HostType, Fields>(hostTypes.map((type) => [type, Object.entries(hostEventFields[type])]));
const UNCLIPPED = { input: Infinity, output: Infinity, text: Infinity };

/** The fields of a type of host event, in the order they are stored. */
export function fieldsOf(type: HostType): Fields {
  return fieldsByType.get(type) ?? [];
}

/** Returns every issue of a host's event, with paths. Without issues, `record` accepts its shape. */
export function checkEvent(input: unknown): readonly EventIssue[] {
  const issue = typeIssue(input);
  if (issue !== undefined) return [issue];
  const source = input as LooseObject;
  const taking: FieldContext = { clip: UNCLIPPED, issues: [] };
  const loose = describeMessage(source, { ...source, meaning: source["meaning"] ?? {}, tool: source["tool"] ?? "-" });
  takeFields(fieldsOf(source["type"] as HostType), loose, { into: {}, taking });
  return taking.issues;
}

/** Returns the issue of input that is not an object with the type of a host event. */
export function typeIssue(input: unknown): EventIssue | undefined {
  if (typeof input !== "object" || input === null) return { path: "", message: "an event is an object with a type" };
  const { type } = input as LooseObject;
  if (typeof type !== "string" || !isHostType(type)) {
    const given = typeof type === "string" ? JSON.stringify(type) : typeof type;
    return { path: "type", message: `${given} is not the type of a host event` };
  }
  const { name } = input as LooseObject;
  return type === "event.recorded" && typeof name === "string" && isCoreType(name)
    ? { path: "name", message: `${JSON.stringify(name)} is an event of core: record it by its type` }
    : undefined;
}
