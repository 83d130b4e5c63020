import { browsing } from "./browsing.ts";
import { codeAgents } from "./code-agents.ts";
import { eighthBatch } from "./eighth-batch.ts";
import { eleventhBatch } from "./eleventh-batch.ts";
import { failures } from "./failures.ts";
import type { Kind } from "./kind.ts";
import { fifteenthBatch } from "./fifteenth-batch.ts";
import { fifthBatch } from "./fifth-batch.ts";
import { fourteenthBatch } from "./fourteenth-batch.ts";
import { fourthBatch } from "./fourth-batch.ts";
import { longCircles } from "./long-circles.ts";
import { movingPolls } from "./moving-polls.ts";
import { ninthBatch } from "./ninth-batch.ts";
import { operations } from "./operations.ts";
import { receipts } from "./receipts.ts";
import { repeats } from "./repeats.ts";
import { reported } from "./reported.ts";
import { secondBatch } from "./second-batch.ts";
import { seventhBatch } from "./seventh-batch.ts";
import { sixthBatch } from "./sixth-batch.ts";
import { speakingOn } from "./speaking-on.ts";
import { strangers } from "./strangers.ts";
import { supportDesk } from "./support-desk.ts";
import { talking } from "./talking.ts";
import { tenthBatch } from "./tenth-batch.ts";
import { thirdBatch } from "./third-batch.ts";
import { thirteenthBatch } from "./thirteenth-batch.ts";
import { twelfthBatch } from "./twelfth-batch.ts";
import { unknownTools } from "./unknown-tools.ts";
import { unseen } from "./unseen.ts";
import { wandering } from "./wandering.ts";

/** All kinds of loops and of healthy repetition, in variations written without a look at the detectors. */
export const kinds: readonly Kind[] = [
  ...reported, ...repeats, ...failures, ...wandering, ...talking, ...unseen, ...longCircles, ...receipts, ...movingPolls,
  ...supportDesk, ...browsing, ...operations, ...codeAgents, ...speakingOn, ...unknownTools, ...secondBatch, ...thirdBatch, ...fourthBatch, ...fifthBatch, ...sixthBatch, ...seventhBatch, ...eighthBatch, ...ninthBatch, ...tenthBatch, ...eleventhBatch, ...twelfthBatch, ...thirteenthBatch, ...fourteenthBatch, ...fifteenthBatch, ...strangers,
];
