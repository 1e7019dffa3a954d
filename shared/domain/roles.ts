/**
 * What a key may do: `viewer` looks; `scheduler` has jobs and schedules of clients; `manager` makes campaigns, carries
 * them out and stops them; `approver` approves what others have made; `operator` does everything, such as action types,
 * clients, keys and quarantined messages and steps.
 */
export const roles = ['viewer', 'scheduler', 'manager', 'approver', 'operator'] as const;

export type Role = (typeof roles)[number];

const contained: Readonly<Record<Role, readonly Role[]>> = {
  viewer: ['viewer'],
  scheduler: ['viewer', 'scheduler'],
  manager: ['viewer', 'manager'],
  approver: ['viewer', 'approver'],
  operator: roles,
};

export function mayActAs(role: Role, needed: Role): boolean {
  return contained[role].includes(needed);
}
