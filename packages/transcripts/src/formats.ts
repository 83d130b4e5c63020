import { agentsStudy } from "./formats/agents-study.ts";
import { aiSdkMessages } from "./formats/ai-sdk-messages.ts";
import { aiSdkStream } from "./formats/ai-sdk-stream.ts";
import { aiSdkUi } from "./formats/ai-sdk-ui.ts";
import { aider } from "./formats/aider.ts";
import { anthropicMessages } from "./formats/anthropic-messages.ts";
import { atif } from "./formats/atif.ts";
import { claudeCode } from "./formats/claude-code.ts";
import { cline } from "./formats/cline.ts";
import { codexTui } from "./formats/codex-tui.ts";
import { codex } from "./formats/codex.ts";
import { copilotCli } from "./formats/copilot-cli.ts";
import { geminiCli } from "./formats/gemini-cli.ts";
import { geminiContents } from "./formats/gemini-contents.ts";
import { groupChat } from "./formats/group-chat.ts";
import { inspect } from "./formats/inspect.ts";
import { intercode } from "./formats/intercode.ts";
import { langchainMessages } from "./formats/langchain-messages.ts";
import { langfuse } from "./formats/langfuse.ts";
import { langsmith } from "./formats/langsmith.ts";
import { miniSweAgent } from "./formats/mini-swe-agent.ts";
import { mint } from "./formats/mint.ts";
import { notebookHistory } from "./formats/notebook-history.ts";
import { openaiMessages } from "./formats/openai-messages.ts";
import { openaiResponses } from "./formats/openai-responses.ts";
import { opencode } from "./formats/opencode.ts";
import { openhandsCompletion } from "./formats/openhands-completion.ts";
import { openhands } from "./formats/openhands.ts";
import { openinferenceTree } from "./formats/openinference-tree.ts";
import { otlp } from "./formats/otlp.ts";
import { phasekitLog } from "./formats/phasekit-log.ts";
import { pi } from "./formats/pi.ts";
import { sweAgent } from "./formats/swe-agent.ts";
import { tauBench } from "./formats/tau-bench.ts";
import type { TranscriptFormat } from "./transcript-format.ts";

/** Every format, in the order in which ties between them are decided. */
export const formats: readonly TranscriptFormat[] = [
  phasekitLog,
  claudeCode,
  codex,
  codexTui,
  geminiCli,
  opencode,
  copilotCli,
  pi,
  cline,
  aider,
  openhands,
  openhandsCompletion,
  sweAgent,
  miniSweAgent,
  tauBench,
  inspect,
  intercode,
  mint,
  notebookHistory,
  agentsStudy,
  atif,
  otlp,
  openinferenceTree,
  langfuse,
  langsmith,
  aiSdkStream,
  aiSdkUi,
  aiSdkMessages,
  langchainMessages,
  geminiContents,
  anthropicMessages,
  openaiResponses,
  groupChat,
  openaiMessages,
];
