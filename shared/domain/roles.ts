/**
 * What a key may do, each with all that the ones before it may: `viewer` looks; `manager` makes campaigns, carries them
 * out and stops them; `operator` does everything else, such as action types, clients and what the engine set aside.
 */
export const roles = ['viewer', 'manager', 'operator'] as const;

export type Role = (typeof roles)[number];

export function mayActAs(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}
