import { describe, expect, it } from 'vitest';
import { actionTypeConfig } from '../../../shared/contracts/endpoints/engine-config.ts';
import type { RegisteredActionType } from '../../../shared/ports/registry.ts';
import { createEgressGuard } from '../../../shared/runtime/egress/address-guard.ts';
import { readInstallationEgress } from '../../../shared/runtime/egress/installation-egress.ts';
import { checkActionType } from './check-action-type.ts';

const guard = createEgressGuard([readInstallationEgress({ MUSTER_EGRESS_ALLOW: 'public,*.svc,10.20.0.0/16' })]);
const problemsOf = (body: object, before: RegisteredActionType | null = null) => {
  const checked = checkActionType(body, before, guard);
  return checked.ok ? [] : checked.problems.map(({ pointer, code }) => `${pointer} ${code}`);
};
const at = (url: string) => ({ url, class: 'A' });

function registeredAs(config: object): RegisteredActionType {
  return {
    ...{ name: 'old', revision: 1, enabled: true, origin: 'api', secrets: {} },
    config: actionTypeConfig.parse(config),
    ...{ createdAt: new Date(0), updatedAt: new Date(0) },
  };
}

describe('where an action type may be, on an installation that says so', () => {
  it.each(['https://rewards.example.com/', 'http://rewards.svc/', 'http://10.20.3.4/', 'http://8.8.8.8/'])(
    'is what its list names: %s',
    (url) => expect(problemsOf(at(url))).toEqual([]),
  );

  it.each(['http://10.21.3.4/', 'http://localhost:5432/', 'http://[::1]/', 'http://168.63.129.16/'])(
    'is nowhere else: %s',
    (url) => expect(problemsOf(at(url))).toEqual(['/url forbidden-address']),
  );

  it('does not keep what was registered before from being disabled', () => {
    const registered = registeredAs(at('http://10.21.3.4/'));
    expect(problemsOf({ ...at('http://10.21.3.4/'), enabled: false }, registered)).toEqual([]);
    expect(problemsOf(at('http://10.21.3.5/'), registered)).toEqual(['/url forbidden-address']);
  });
});

describe('whether an action type is a check', () => {
  const caps = { ...at('http://caps.svc/'), check: true };

  it('is said when it is registered, and stays', () => {
    expect(problemsOf(caps)).toEqual([]);
    expect(problemsOf({ ...caps, timeoutMs: 900 }, registeredAs(caps))).toEqual([]);
    expect(problemsOf(at('http://caps.svc/'), registeredAs(caps))).toEqual(['/check only-when-registered']);
    expect(problemsOf(caps, registeredAs(at('http://caps.svc/')))).toEqual(['/check only-when-registered']);
  });
});
