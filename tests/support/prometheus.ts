/** Reads the text format of Prometheus, strictly: what its own parser would refuse, this one refuses. */
import assert from "node:assert/strict";

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const TYPES = ["counter", "gauge", "histogram", "summary", "untyped"];
const LABEL = /^([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\n"])*)"(,|$)/;

export function parsePrometheus(text: string): readonly Sample[] {
  assert.ok(text.endsWith("\n"), "the last line must end");
  const types = new Map<string, string>();
  const helped = new Set<string>();
  const seen = new Set<string>();
  const samples: Sample[] = [];
  let family = "";
  for (const line of text.slice(0, -1).split("\n")) {
    const [, word, about, rest] = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line) ?? [];
    if (word === "HELP") {
      assert.ok(!helped.has(about!), `a second HELP for ${about}`);
      helped.add(family = about!);
      continue;
    }
    if (word === "TYPE") {
      assert.ok(!types.has(about!) && TYPES.includes(rest!), line);
      assert.ok(!samples.some(({ name }) => name === about), `TYPE of ${about} after its samples`);
      types.set(family = about!, rest!);
      continue;
    }
    const sample = parseSample(line);
    const suffix = sample.name.slice(family.length);
    const allowed = types.get(family) === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
    assert.ok(
      sample.name.startsWith(family) && allowed.includes(suffix),
      `${line} does not belong to ${family}`,
    );
    const identity = JSON.stringify([sample.name, Object.entries(sample.labels).sort()]);
    assert.ok(!seen.has(identity), `${line} comes twice`);
    seen.add(identity);
    samples.push(sample);
  }
  for (const [name, type] of types) if (type === "histogram") checkHistogram(name, samples);
  return samples;
}

function parseSample(line: string): Sample {
  const [, name, , inner = "", number] =
    /^([a-zA-Z_:][\w:]*)(\{(.*)\})? ([-+]?(?:\d+(?:\.\d+)?(?:e[-+]?\d+)?|Inf)|NaN)$/.exec(line) ?? [];
  assert.ok(name !== undefined, `no sample: ${line}`);
  const labels: Record<string, string> = {};
  for (let rest = inner; rest !== "";) {
    const [whole, label, value] = LABEL.exec(rest) ?? [];
    assert.ok(whole !== undefined && !(label! in labels), `bad labels: ${line}`);
    labels[label!] = value!.replaceAll(/\\(.)/g, (_, sign) => sign === "n" ? "\n" : sign);
    rest = rest.slice(whole.length);
  }
  return { name, labels, value: Number(number!.replace("Inf", "Infinity")) };
}

function checkHistogram(name: string, samples: readonly Sample[]): void {
  const buckets = samples.filter((sample) => sample.name === `${name}_bucket`);
  const limits = buckets.map(({ labels }) => Number(labels["le"]!.replace("Inf", "Infinity")));
  const values = buckets.map(({ value }) => value);
  const isRising = (numbers: readonly number[]) =>
    numbers.every((n, at) => at === 0 || n >= numbers[at - 1]!);
  assert.ok(isRising(limits) && isRising(values) && limits.at(-1) === Infinity, `${name}: ${values}`);
  assert.equal(values.at(-1), samples.find((sample) => sample.name === `${name}_count`)?.value);
}
