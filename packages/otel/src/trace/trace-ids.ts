/** The ids of one run: the same for the same run, so that sending it twice is one trace. */
export interface TraceIds {
  /** 16 bytes as hex. */
  readonly trace: string;
  /** Returns the id of a span, 8 bytes as hex. Names are numbers of events, or tell a phase or an attempt. */
  readonly span: (name: string | number) => string;
}

/** Returns the ids of a run. `root` names the trace, when the run is a part of another one. */
export function traceIds(run: string, root: string = run): TraceIds {
  const start = hash(run, SEEDS);
  return {
    trace: hex(hash(root, SEEDS)),
    span: (name) => hex(hash(`/${String(name)}`, start).slice(0, 2)),
  };
}

type Lanes = readonly number[];

const SEEDS: Lanes = [0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c];

/** 128 bits in four lanes that mix into each other: for telling ids apart, not for security. */
function hash(text: string, [a = 0, b = 0, c = 0, d = 0]: Lanes): Lanes {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    a = b ^ Math.imul(a ^ code, 0x9e3779b1);
    b = c ^ Math.imul(b ^ code, 0x85ebca77);
    c = d ^ Math.imul(c ^ code, 0xc2b2ae3d);
    d = a ^ Math.imul(d ^ code, 0x27d4eb2f);
  }
  a = mix(a ^ (d >>> 15));
  b = mix(b ^ a);
  c = mix(c ^ b);
  d = mix(d ^ c);
  return [a ^ d, b ^ a, c ^ b, d];
}

function mix(lane: number): number {
  const once = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return twice ^ (twice >>> 16);
}

const PAIRS: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** OpenTelemetry takes an id of zeros for none. */
function hex(lanes: Lanes): string {
  let text = "";
  let any = 0;
  for (const lane of lanes) {
    any |= lane;
    for (let shift = 24; shift >= 0; shift -= 8) text += PAIRS[(lane >>> shift) & 255] ?? "";
  }
  return any === 0 ? text.replace(/0$/, "1") : text;
}
