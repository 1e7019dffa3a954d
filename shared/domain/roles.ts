/**
 * Roles of a key.
 * - `viewer`: reads.
 * - `scheduler`: manages jobs and schedules of clients.
 * - `manager`: creates, runs and stops campaigns.
 * - `approver`: approves campaigns of others.
 * - `operator`: may do everything, such as changing action types, clients, keys and quarantined messages and steps.
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
