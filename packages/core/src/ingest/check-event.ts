import { type EventIssue, type Field, takeFields, type FieldContext } from "../events/field.ts";
import { hostEventFields, type HostType, hostTypes, isCoreType, isHostType } from "../events/run-event.ts";
import type { LooseObject } from "../loose-object.ts";
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
  const taking: FieldContext = { clip: UNCLIPPED, issues: [] };
  const source = checkType(input, taking.issues);
  if (source === undefined) return taking.issues;
  const loose = describeMessage(source, { ...source, meaning: source["meaning"] ?? {}, tool: source["tool"] ?? "-" });
  takeFields(fieldsOf(source["type"] as HostType), loose, { into: {}, taking });
  return taking.issues;
}

/** Returns the input if it is an object with the type of a host event; adds the issue otherwise. */
export function checkType(input: unknown, issues: EventIssue[]): LooseObject | undefined {
  if (typeof input !== "object" || input === null) {
    issues.push({ path: "", message: "an event is an object with a type" });
    return undefined;
  }
  const { type } = input as LooseObject;
  if (typeof type !== "string" || !isHostType(type)) {
    const name = typeof type === "string" ? JSON.stringify(type) : typeof type;
    issues.push({ path: "type", message: `${name} is not the type of a host event` });
    return undefined;
  }
  const { name } = input as LooseObject;
  if (type === "event.recorded" && typeof name === "string" && isCoreType(name)) {
    issues.push({ path: "name", message: `${JSON.stringify(name)} is an event of core: record it by its type` });
    return undefined;
  }
  return input as LooseObject;
}
