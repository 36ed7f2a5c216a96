/** On a terminal the user chooses, and is asked what else could be done. */
import { confirm, isCancel, multiselect } from "@clack/prompts";
import process from "node:process";
import { findPeersIn, inspectTarget } from "../clients/entries.ts";
import { type Client, type ClientsPlan, startsAnywhere, type Target } from "../clients/mod.ts";
import { failInput } from "../../base/errors.ts";
import { command, withCommand } from "../../base/text.ts";
import type { Host } from "../../process/host.ts";
import type { Invocation } from "../../operations/mod.ts";

export interface Choice extends Pick<ClientsPlan, "targets" | "manual"> {
  readonly replace: boolean;
  readonly project?: string;
}

export async function choose(
  host: Host,
  { name: command, options }: Invocation,
  plan: ClientsPlan,
  name: string,
): Promise<Choice | undefined> {
  const isInstall = command === "install";
  const found = plan.targets.filter(({ hooks }) => hooks === undefined).map((target) => ({
    target,
    state: !target.isSkill
      ? inspectTarget(target, plan, name).state
      : isInstall && !target.exists
      ? "absent"
      : "ours",
  }));
  const offered = isInstall ? found : found.filter(({ state }) => state === "ours");
  const byHand = isInstall ? plan.manual : [];
  const canAsk = host.terminal.stdin && host.terminal.stderr && options.json === undefined &&
    options.yes === undefined;
  const clients = [...offered.map(({ target }) => target.client), ...byHand];
  if (!canAsk || clients.length === 0) refuseToGuess(command, clients);
  const choices = [
    ...offered.map(({ target, state }) => ({
      value: target,
      label: target.client.title,
      hint: `${target.path}${isInstall && state === "ours" ? ", already there" : ""}`,
      isChosen: isInstall && state === "absent",
    })),
    ...byHand.map((client) => ({
      value: client,
      label: client.title,
      hint: "prints the entry to paste",
      isChosen: true,
    })),
  ];
  const picked = await multiselect<Target | Client>({
    message: `Which clients should ${isInstall ? "use" : "stop using"} this server?`,
    options: choices,
    initialValues: choices.flatMap(({ value, isChosen }) => isChosen ? [value] : []),
    required: false,
    output: process.stderr,
  });
  if (isCancel(picked)) return undefined;
  const targets = plan.targets.filter((target) => picked.includes(target));
  const { openProject } = plan;
  const anywhere = isInstall ? targets.filter(({ client }) => startsAnywhere(client)) : [];
  const titles = anywhere.map(({ client }) => client.title).join(", ");
  const isServed = openProject !== undefined && titles !== "" &&
    await ask(`No project is known to ${titles}. Serve ${openProject} there?`);
  if (isServed === undefined) return undefined;
  const peers = isInstall && !options.replace ? targets.flatMap(findPeersIn) : [];
  const names = [...new Set(peers.map((peer) => peer.name))].join(", ");
  const replace = options.replace !== undefined || (names !== "" &&
    await ask(`Replace other BMAD servers in the same files: ${names}? uninstall brings them back`));
  if (replace === undefined) return undefined;
  return {
    targets: plan.targets.filter((target) =>
      target.hooks === undefined
        ? targets.includes(target)
        : targets.some(({ client }) => client === target.client)
    ),
    manual: byHand.filter((client) => picked.includes(client)),
    replace,
    ...(isServed && { project: openProject }),
  };
}

function refuseToGuess(name: string, clients: readonly Client[]): never {
  const ids = [...new Set(clients.map(({ id }) => id))];
  const run = withCommand("Run", command`bmad-mcp ${name} ${{ args: ids }}`);
  const hint = ids.length > 0
    ? `Found here: ${ids.join(" ")}. ${run}, or: bmad-mcp ${name} --all`
    : "No client found here has this server";
  return failInput("Missing CLIENT", hint);
}

/** On stderr, because stdout is for results. */
async function ask(message: string): Promise<boolean | undefined> {
  const answer = await confirm({ message, output: process.stderr });
  return isCancel(answer) ? undefined : answer;
}
