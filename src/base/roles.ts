/** THE table of roles: who may do what on a server that several people use. */
import { asText, asTexts, asValues } from "./values.ts";

export const ROLES = ["reader", "worker", "owner"] as const;
export type Role = typeof ROLES[number];

function isRole(word: string | undefined): word is Role {
  return ROLES.some((role) => role === word);
}

const RIGHTS = {
  /** See content, board, documents and memories. */
  read: "reader",
  /** Mark, claim, release, review, ask, answer, remember. */
  work: "worker",
  /** Do so against what a check or a claim says. */
  force: "owner",
  /** Give a draft the status Approved, where its form has one. */
  approve: "owner",
  /** See who did what on this server. */
  audit: "owner",
} as const satisfies Readonly<Record<string, Role>>;

export type Right = keyof typeof RIGHTS;

export function hasRight(role: Role, right: Right): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(RIGHTS[right]);
}

export function roleFor(right: Right): Role {
  return RIGHTS[right];
}

export interface Person {
  /** Undefined for whoever shows the token that all share: what they call themselves counts. */
  readonly name?: string;
  readonly role: Role;
  readonly id?: string;
  /** The projects that they may use, `*` for any; undefined for all. */
  readonly projects?: readonly string[];
}

export function parsePerson(value: unknown): Person | undefined {
  const { name, role, projects } = asValues(value);
  const [named, roleName] = [asText(name), asText(role)];
  if (!isRole(roleName)) return undefined;
  return {
    ...(named !== undefined && { name: named }),
    role: roleName,
    ...(projects !== undefined && { projects: asTexts(projects) }),
  };
}

export function isSamePerson(a: Person | undefined, b: Person | undefined): boolean {
  return a?.name === b?.name && a?.role === b?.role && a?.projects?.join("\n") === b?.projects?.join("\n");
}

export function mayUse({ projects }: Person, project: string): boolean {
  return projects === undefined || projects.includes(project) || projects.includes(EVERY);
}

export const EVERY = "*";

/** Without access rules, members may use every project. */
export interface GroupRules {
  readonly roles: readonly NonNullable<ReturnType<typeof roleRuleIn>>[];
  readonly access: readonly NonNullable<ReturnType<typeof accessRuleIn>>[];
}

export function roleRuleIn(text: string) {
  const [, role, group] = /^([^=]*)=(.+)$/s.exec(text) ?? [];
  return isRole(role) && group !== undefined ? { role, group } : undefined;
}

export function accessRuleIn(text: string) {
  const [, project, group] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  return project !== undefined && group !== undefined ? { project, group } : undefined;
}

export function personOf(
  name: string,
  groups: readonly string[],
  { roles, access }: GroupRules,
): Person | undefined {
  const isOf = ({ group }: { readonly group: string }) => group === EVERY || groups.includes(group);
  const role = ROLES.findLast((role) => roles.some((rule) => rule.role === role && isOf(rule)));
  if (role === undefined) return undefined;
  const projects = access.filter(isOf).map(({ project }) => project);
  return { name, role, ...(access.length > 0 && { projects }) };
}
