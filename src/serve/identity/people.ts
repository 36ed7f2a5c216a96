/**
 * People whom the server does not keep: the same person stays the same object, by which answers are kept.
 */
import type { Person } from "../../base/roles.ts";

const MAX_PEOPLE = 1_000;

/** Returns what finds the one object for a person; those who have not come for the longest time are forgotten. */
export function openPeople(): (person: Person) => Person {
  const people = new Map<string, Person>();
  return (person) => {
    const key = JSON.stringify([person.name, person.role, person.projects]);
    const known = people.get(key) ?? person;
    people.delete(key);
    people.set(key, known);
    if (people.size > MAX_PEOPLE) people.delete(people.keys().next().value!);
    return known;
  };
}
