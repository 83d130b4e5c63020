import type { Lesson } from "../conversation/conversation-events.ts";

/** Decision to keep a lesson, or the reason for its author. */
export type LessonVerdict =
  { readonly ok: true } | { readonly ok: false; readonly why: "trivial" | "repeated"; readonly text: string };

const MIN_WORDS = 5;
const SAME_SHARE = 0.75;

/** Words that say nothing about one project. The other words of a lesson are its topic. */
const EMPTY = new Set(
  [
    "a an and are as at always be been before better but by can careful carefully code communicate communication",
    "do does doing done ensure everything for from good great have i important in is it its just keep learned lesson",
    "make making more must need needs never nice not of on once our properly quality really remember should so sure",
    "task team test tests than that the then there things this time to us use very want was we well went were when",
    "will with work worked working works you your",
  ]
    .join(" ")
    .split(" "),
);

/** Refuses a lesson that says nothing about this project, or that is already known. */
export function judgeLesson(text: string, known: readonly Pick<Lesson, "text">[]): LessonVerdict {
  const words = wordsOf(text);
  const telling = tellingOf(words);
  if (words.length < MIN_WORDS || telling.size < 2) {
    return {
      ok: false,
      why: "trivial",
      text: "This is too general to help. Say what happened in this project, and what to do differently next time.",
    };
  }
  const twin = known.find((lesson) => overlap(telling, tellingOf(wordsOf(lesson.text))) >= SAME_SHARE);
  if (twin !== undefined)
    return { ok: false, why: "repeated", text: `This lesson is already known: "${twin.text}". Add only what is new.` };
  return { ok: true };
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_./-]+/gu) ?? [];
}

function tellingOf(words: readonly string[]): ReadonlySet<string> {
  return new Set(
    words.map((word) => word.replace(/^[./-]+|[./-]+$/g, "")).filter((word) => word.length > 2 && !EMPTY.has(word)),
  );
}

/** Share of the words that two texts have in common. */
function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const both = [...one].filter((word) => other.has(word)).length;
  const either = one.size + other.size - both;
  return either === 0 ? 0 : both / either;
}
