/**
 * Merges three trees of named parts by key. One side's change counts; of two statuses the one further on the way; what
 * either side added stays. Anything else is a contradiction.
 */
import { isOnWay, type Order } from "../formats/forms.ts";
import {
  EMPTY,
  type Lines,
  linesIn,
  linesOf,
  type Node,
  type Parts,
  withDash,
} from "../formats/yaml_tree.ts";
import {
  commonEnds,
  type Contradict,
  each,
  isSame,
  mergeLines,
  pick,
  uniteLines,
  type Versions,
} from "./lines.ts";

interface StatusLine {
  readonly before: string;
  readonly written: string;
  readonly status: string;
  readonly after: string;
  readonly order: Order;
}

export interface Grammar {
  read(lines: Lines): Parts;
  statusIn(path: readonly string[], line: string): StatusLine | undefined;
  compare(one: string, other: string): number;
}

type Keyed = ReadonlyMap<string, Node>;
type NodeVersions = Omit<Versions<Node>, "base"> & { readonly base: Node | undefined };

export function mergeBodies(
  versions: Versions<Parts>,
  { statusIn, compare }: Pick<Grammar, "statusIn" | "compare">,
  contradict: Contradict,
): Lines {
  function mergeBody({ base, ours, theirs }: Versions<Parts>, path: readonly string[]): Lines {
    if (base === EMPTY && ours === EMPTY && theirs === EMPTY) return [];
    if (base.isOpaque || ours.isOpaque || theirs.isOpaque) {
      return mergeLines(each({ base, ours, theirs }, linesIn), contradict);
    }
    const nodes = {
      base: base.nodes,
      ours: withOldKeys(base.nodes, ours.nodes),
      theirs: withOldKeys(base.nodes, theirs.nodes),
    };
    const keyed = each(nodes, (side): Keyed => new Map(side.map((node) => [node.key, node])));
    const merged = mergeOrder(nodes, keyed, compare).map((key) => mergeKey(key, keyed, path));
    return [...merged.flat(), ...uniteLines(each({ base, ours, theirs }, ({ tail }) => tail))];
  }

  function mergeKey(key: string, keyed: Versions<Keyed>, path: readonly string[]): Lines {
    const [base, ours, theirs] = [keyed.base.get(key), keyed.ours.get(key), keyed.theirs.get(key)];
    if (ours !== undefined && theirs !== undefined) return mergeNode({ base, ours, theirs }, [...path, key]);
    const left = (ours ?? theirs)!;
    if (base === undefined) return linesOf(left);
    const known = new Set(base.lead);
    const isUntouched = isSame(ownLines(left), ownLines(base)) && left.lead.every((line) => known.has(line));
    if (isUntouched) return [];
    return ours === undefined ? contradict([], linesOf(left)) : contradict(linesOf(left), []);
  }

  function mergeNode({ base, ours, theirs }: NodeVersions, path: readonly string[]): Lines {
    const lead = uniteLines({ base: base?.lead ?? [], ours: ours.lead, theirs: theirs.lead });
    const whole = { base: base ? ownLines(base) : [], ours: ownLines(ours), theirs: ownLines(theirs) };
    if (isSame(whole.ours, whole.theirs)) return [...lead, ...whole.ours];
    if (new Set([(base ?? ours).item, ours.item, theirs.item]).size > 1) {
      return [...lead, ...mergeLines(whole, contradict)];
    }
    const contradiction = () => [...lead, ...contradict(whole.ours, whole.theirs)];
    const line = mergeLine({ base, ours, theirs }, path);
    if (line === undefined) return contradiction();
    const inner = mergeBody({ base: base?.body ?? EMPTY, ours: ours.body, theirs: theirs.body }, path);
    if (ours.item !== "entries") return [...lead, line, ...inner];
    // The dash precedes entries, not marks.
    return inner[0]?.startsWith(" ".repeat(line.length))
      ? [...lead, ...withDash(line, inner)]
      : contradiction();
  }

  function mergeLine({ base, ours, theirs }: NodeVersions, path: readonly string[]): string | undefined {
    const picked = pick({ base: base?.line, ours: ours.line, theirs: theirs.line });
    if (picked !== undefined) return picked;
    const [was, mine, yours] = [base, ours, theirs].map((node) => node && statusIn(path, node.line));
    if (mine === undefined || yours === undefined || base !== undefined && was === undefined) {
      return undefined;
    }
    const [before, after] = (["before", "after"] as const).map((part) =>
      pick({ base: was?.[part], ours: mine[part], theirs: yours[part] })
    );
    const written = furtherOf(was, mine, yours);
    const isSettled = before !== undefined && after !== undefined && written !== undefined;
    return isSettled ? before + written + after : undefined;
  }

  return mergeBody(versions, []);
}

function ownLines(node: Node): Lines {
  return node.lead.length === 0 ? linesOf(node) : linesOf({ ...node, lead: [] });
}

/** Undefined if neither lies on the way to the other. */
function furtherOf(base: StatusLine | undefined, ours: StatusLine, theirs: StatusLine): string | undefined {
  if (ours.status === theirs.status) {
    return pick({ base: base?.written, ours: ours.written, theirs: theirs.written }) ??
      (ours.written < theirs.written ? ours.written : theirs.written);
  }
  const from = base?.status;
  if (theirs.status === from || isOnWay(ours.order, theirs.status, from, ours.status)) return ours.written;
  if (ours.status === from || isOnWay(ours.order, ours.status, from, theirs.status)) return theirs.written;
  return undefined;
}

const MAX_LOOKS = 20;

/** An edited item keeps its key if it still stands in its place. */
function withOldKeys(base: readonly Node[], side: readonly Node[]): readonly Node[] {
  const [before, after] = [new Set(base.map(({ key }) => key)), new Set(side.map(({ key }) => key))];
  const gone = Map.groupBy(
    placed(base, after).filter(({ node }) => node.item !== undefined && !after.has(node.key)),
    ({ above }) => above,
  );
  if (gone.size === 0) return side;
  const taken = new Set<string>();
  const next = new Map<string, number>();
  return placed(side, before).map(({ node, above }) => {
    if (node.item === undefined || before.has(node.key)) return node;
    const here = gone.get(above) ?? [];
    let from = next.get(above) ?? 0;
    while (from < here.length && taken.has(here[from]!.node.key)) from++;
    next.set(above, from);
    const old = here.slice(from, from + MAX_LOOKS).find((one) =>
      !taken.has(one.node.key) && isEdited(one.node, node)
    );
    if (old === undefined) return node;
    taken.add(old.node.key);
    return { ...node, key: old.node.key };
  });
}

function placed(nodes: readonly Node[], known: ReadonlySet<string>) {
  let above = "";
  return nodes.map((node) => {
    const place = { node, above };
    if (known.has(node.key)) above = node.key;
    return place;
  });
}

/** A section with another heading, or an item that shares most of the shorter text at both ends. */
function isEdited({ key: one, item }: Node, { key: other, item: otherItem }: Node): boolean {
  if (item === "section" || otherItem === "section") return item === otherItem;
  const { start, end } = commonEnds(one, other);
  return start + end >= Math.min(one.length, other.length) * 0.6;
}

/** What all have, each with what either side added below. */
function mergeOrder(nodes: Versions<readonly Node[]>, keyed: Versions<Keyed>, compare: Grammar["compare"]) {
  const isCommon = (key: string) => keyed.base.has(key) && keyed.ours.has(key) && keyed.theirs.has(key);
  const common = (list: readonly Node[]) => list.map(({ key }) => key).filter(isCommon);
  const [base, ours, theirs] = [common(nodes.base), common(nodes.ours), common(nodes.theirs)];
  // What both sides moved differently stays where it was.
  const spine = isSame(ours, base) ? theirs : isSame(theirs, base) || isSame(ours, theirs) ? ours : base;
  const places = new Map(spine.map((key, at) => [key, at]));
  const [byUs, byThem] = [othersOf(nodes.ours, places), othersOf(nodes.theirs, places)];
  // Added in two places, it stands in the later one.
  const later = (own: typeof byUs, other: typeof byUs) =>
    Map.groupBy(
      [...own.keys()].filter((key) => own.get(key)! >= (other.get(key) ?? -1)),
      (key) => own.get(key)!,
    );
  const [above, below] = [later(byUs, byThem), later(byThem, byUs)];
  const added = (at: number) => mergeRuns(above.get(at) ?? [], below.get(at) ?? [], compare);
  return [...added(-1), ...spine.flatMap((key, at) => [key, ...added(at)])];
}

function othersOf(nodes: readonly Node[], places: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const others = new Map<string, number>();
  let above = -1;
  for (const { key } of nodes) {
    const place = places.get(key);
    if (place === undefined) others.set(key, above);
    else above = place;
  }
  return others;
}

function mergeRuns(one: Lines, other: Lines, compare: Grammar["compare"]): Lines {
  const [first, second] = [new Map(one.map((key, at) => [key, at])), new Set(other)];
  const shared = other.map((key) => first.get(key)).filter((at) => at !== undefined);
  const isSameOrder = shared.every((place, at) => at === 0 || shared[at - 1]! < place);
  if (!isSameOrder) return [...new Set([...one, ...other])].toSorted(compare);
  const merged: string[] = [];
  for (let [x, y] = [0, 0]; x < one.length || y < other.length;) {
    const [mine, yours] = [one[x], other[y]];
    if (mine === yours) {
      merged.push(mine!);
      x++, y++;
    } else if (
      yours === undefined || mine !== undefined && !second.has(mine) &&
        (first.has(yours) || compare(mine, yours) < 0)
    ) {
      merged.push(mine!);
      x++;
    } else {
      merged.push(yours);
      y++;
    }
  }
  return merged;
}
