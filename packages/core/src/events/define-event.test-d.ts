import { expectTypeOf } from "vitest";
import { createRun, defineEvent, definePolicy, emit, type NewEvent, type RunEvent } from "../index.ts";

const lessonLearned = defineEvent<{ text: string; weight?: number }>("lesson.learned");

definePolicy({
  name: "lessons",
  decide: { "tool.finished": () => emit(lessonLearned, { text: "Read the file first." }) },
});
definePolicy({
  name: "core-facts",
  decide: { "tool.finished": () => emit("exploration.saturation", { filesRead: 30, iterations: 12 }) },
});
expectTypeOf(lessonLearned.record({ text: "a" })).toEqualTypeOf<NewEvent<"event.recorded">>();
createRun().record(lessonLearned.record({ text: "a", weight: 3 }));

// @ts-expect-error -- misspelt
emit(lessonLearned, { txet: "a" });
// @ts-expect-error -- incomplete
lessonLearned.record({});
// @ts-expect-error -- core's own events have a shape, too
emit("exploration.saturation", { files: 30 });

declare const event: RunEvent;
if (lessonLearned.is(event)) {
  expectTypeOf(event.data.text).toEqualTypeOf<string>();
  expectTypeOf(event.data.weight).toEqualTypeOf<number | undefined>();
  expectTypeOf(event.type).toEqualTypeOf<"event.recorded" | "event.emitted">();
  // @ts-expect-error -- misspelt
  expectTypeOf(event.data.txet);
}
