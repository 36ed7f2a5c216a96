/**
 * THE table of roles: who may do what on a server that several people use.
 *
 * Whatever a server answers names the right that it needs; the role of whoever asks has it or not. A role has all that
 * the one before it has.
 */

/** The roles, the least first. */
export const ROLES = ["reader", "worker", "owner"] as const;
/** One of them. */
export type Role = typeof ROLES[number];

/** Whether a word names one. */
export function isRole(word: string | undefined): word is Role {
  return ROLES.some((role) => role === word);
}

/** Each right, and the least role that has it. */
export const RIGHTS = {
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

/** What a request needs. */
export type Right = keyof typeof RIGHTS;

/** Whether a role has a right. */
export function hasRight(role: Role, right: Right): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(RIGHTS[right]);
}

/** The least role that has a right. */
export function roleFor(right: Right): Role {
  return RIGHTS[right];
}

/** Somebody who uses a server, as the server knows them. */
export interface Person {
  /** Undefined for whoever shows the token that all share: what they call themselves counts. */
  readonly name?: string;
  readonly role: Role;
  /** The projects that they may use, `*` for any; undefined for all. */
  readonly projects?: readonly string[];
}

/** Whether two requests come from the same person, with the same role in the same projects. */
export function isSamePerson(a: Person | undefined, b: Person | undefined): boolean {
  return a?.name === b?.name && a?.role === b?.role && a?.projects?.join("\n") === b?.projects?.join("\n");
}

/** Whether somebody may use a project. */
export function mayUse({ projects }: Person, project: string): boolean {
  return projects === undefined || projects.includes(project) || projects.includes(EVERY);
}

/** Stands for any group or project in a rule. */
export const EVERY = "*";

/** Who has a role: the members of a group, or everybody (`*`). */
export interface RoleRule {
  readonly role: Role;
  readonly group: string;
}

/** Who may use a project, or any (`*`): the members of a group, or everybody (`*`). */
export interface AccessRule {
  readonly project: string;
  readonly group: string;
}

/** What groups give to their members; without rules of access, every project. */
export interface GroupRules {
  readonly roles: readonly RoleRule[];
  readonly access: readonly AccessRule[];
}

/** A rule as people write it: `worker=devs`; undefined for any other text. */
export function roleRuleIn(text: string): RoleRule | undefined {
  const [, role, group] = /^([^=]*)=(.+)$/s.exec(text) ?? [];
  return isRole(role) && group !== undefined ? { role, group } : undefined;
}

/** A rule as people write it: `shop=devs`; undefined for any other text. */
export function accessRuleIn(text: string): AccessRule | undefined {
  const [, project, group] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  return project !== undefined && group !== undefined ? { project, group } : undefined;
}

/** Somebody by their groups, with the highest role that these give; undefined if they give none. */
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
