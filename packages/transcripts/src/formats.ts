import { aiSdkMessages } from "./formats/messages/ai-sdk-messages.ts";
import { aiSdkStream } from "./formats/messages/ai-sdk-stream.ts";
import { aiSdkUi } from "./formats/messages/ai-sdk-ui.ts";
import { aider } from "./formats/agents/aider.ts";
import { anthropicMessages } from "./formats/messages/anthropic-messages.ts";
import { atif } from "./formats/agents/atif.ts";
import { claudeCode } from "./formats/agents/claude-code.ts";
import { cline } from "./formats/agents/cline.ts";
import { codexTui } from "./formats/agents/codex-tui.ts";
import { codex } from "./formats/agents/codex.ts";
import { copilotCli } from "./formats/agents/copilot-cli.ts";
import { geminiCli } from "./formats/agents/gemini-cli.ts";
import { geminiContents } from "./formats/messages/gemini-contents.ts";
import { inspect } from "./formats/traces/inspect.ts";
import { langchainMessages } from "./formats/messages/langchain-messages.ts";
import { langfuse } from "./formats/traces/langfuse.ts";
import { langsmith } from "./formats/traces/langsmith.ts";
import { miniSweAgent } from "./formats/agents/mini-swe-agent.ts";
import { openaiMessages } from "./formats/messages/openai-messages.ts";
import { openaiResponses } from "./formats/messages/openai-responses.ts";
import { opencode } from "./formats/agents/opencode.ts";
import { openhandsCompletion } from "./formats/agents/openhands-completion.ts";
import { openhands } from "./formats/agents/openhands.ts";
import { openinferenceTree } from "./formats/traces/openinference-tree.ts";
import { otlp } from "./formats/traces/otlp.ts";
import { phasekitLog } from "./formats/agents/phasekit-log.ts";
import { pi } from "./formats/agents/pi.ts";
import { sweAgent } from "./formats/agents/swe-agent.ts";
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
  inspect,
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
  openaiMessages,
];
