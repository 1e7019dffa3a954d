import { describe, expect, it } from 'vitest';
import { actionTypeConfig } from '../../../shared/contracts/endpoints/action-type-config.ts';
import type { RegisteredActionType } from '../../../shared/ports/registry.ts';
import { createEgressGuard } from '../../../shared/runtime/egress/address-guard.ts';
import { readInstallationEgress } from '../../../shared/runtime/configuration/installation-egress.ts';
import { checkActionType } from './check-action-type.ts';

const guard = createEgressGuard([readInstallationEgress({ MUSTER_EGRESS_ALLOW: 'public,*.svc,10.20.0.0/16' })]);
const problemsOf = (body: object, before: RegisteredActionType | null = null) => {
  const checked = checkActionType(body, before, guard);
  return checked.ok ? [] : checked.problems.map(({ pointer, code }) => `${pointer} ${code}`);
};
const at = (url: string) => ({ url, class: 'A' });

function registeredAs(config: object): RegisteredActionType {
  return {
    name: 'old',
    revision: 1,
    enabled: true,
    origin: 'api',
    secrets: {},
    config: actionTypeConfig.parse(config),
    createdAt: new Date(0),
    updatedAt: new Date(0),
  };
}

describe('the address of an action type in an installation with egress rules', () => {
  it.each(['https://rewards.example.com/', 'http://rewards.svc/', 'http://10.20.3.4/', 'http://8.8.8.8/'])(
    'is accepted if the rules allow it: %s',
    (url) => expect(problemsOf(at(url))).toEqual([]),
  );

  it.each(['http://10.21.3.4/', 'http://localhost:5432/', 'http://[::1]/', 'http://168.63.129.16/'])(
    'is refused if the rules do not allow it: %s',
    (url) => expect(problemsOf(at(url))).toEqual(['/url forbidden-address']),
  );

  it('does not prevent its type from being disabled, even if the rules no longer allow the address', () => {
    const registered = registeredAs(at('http://10.21.3.4/'));
    expect(problemsOf({ ...at('http://10.21.3.4/'), enabled: false }, registered)).toEqual([]);
    expect(problemsOf(at('http://10.21.3.5/'), registered)).toEqual(['/url forbidden-address']);
  });
});

describe('the address of the options of a parameter', () => {
  const withOptions = (options: string, url = 'http://rewards.svc/') => ({
    ...at(url),
    paramsSchema: { properties: { rewardId: { type: 'string', 'x-options': options } } },
  });
  const place = '/paramsSchema/properties/rewardId/x-options';

  it('may be on the host of the action type, or on another allowed host', () => {
    expect(problemsOf(withOptions('/v1/options'))).toEqual([]);
    expect(problemsOf(withOptions('https://catalogue.example.com/rewards'))).toEqual([]);
  });

  it.each(['http://10.21.3.4/', '//localhost:5432/', 'http://169.254.169.254/latest', 'http://[::1]/'])(
    'is refused if the rules do not allow it: %s',
    (options) => expect(problemsOf(withOptions(options))).toEqual([`${place} forbidden-address`]),
  );

  it('is not checked again while it stays unchanged', () => {
    const before = registeredAs(withOptions('http://10.21.3.4/'));
    expect(problemsOf({ ...withOptions('http://10.21.3.4/'), timeoutMs: 900 }, before)).toEqual([]);
    expect(problemsOf(withOptions('http://10.21.3.5/'), before)).toEqual([`${place} forbidden-address`]);
  });

  it('does not receive a secret that was set for other addresses', () => {
    const before = registeredAs(withOptions('/v1/options'));
    const kept = { ...before, secrets: { authorization: { sealed: 'x', changedAt: new Date(0) } } };
    expect(problemsOf(withOptions('/v2/options'), kept)).toEqual([]);
    expect(problemsOf(withOptions('http://catalogue.svc/'), kept)).toEqual(['/paramsSchema other-origin']);
    const again = { ...withOptions('http://catalogue.svc/'), secrets: { authorization: 'Bearer 2' } };
    expect(problemsOf(again, kept)).toEqual([]);
    const named = registeredAs({ ...withOptions('/v1/options'), authorizationEnv: 'REWARDS' });
    const elsewhere = { ...withOptions('http://catalogue.svc/'), authorizationEnv: 'REWARDS' };
    expect(problemsOf(elsewhere, named)).toEqual(['/authorizationEnv other-origin']);
  });
});

describe('the address for previews', () => {
  const withPreview = (previewUrl: string) => ({ ...at('http://rewards.svc/'), previewUrl });

  it('must not be blocked', () => {
    expect(problemsOf(withPreview('http://rewards.svc/preview'))).toEqual([]);
    expect(problemsOf(withPreview('http://169.254.169.254/latest'))).toEqual(['/previewUrl forbidden-address']);
  });

  it('does not receive a secret that was set for other addresses', () => {
    const before = registeredAs(withPreview('http://rewards.svc/preview'));
    const kept = { ...before, secrets: { authorization: { sealed: 'x', changedAt: new Date(0) } } };
    expect(problemsOf(withPreview('http://rewards.svc/v2/preview'), kept)).toEqual([]);
    expect(problemsOf(withPreview('http://mails.svc/preview'), kept)).toEqual(['/previewUrl other-origin']);
  });
});

describe('the kind of an action type, step or check', () => {
  const caps = { ...at('http://caps.svc/'), check: true };

  it('is set at its registration and never changes', () => {
    expect(problemsOf(caps)).toEqual([]);
    expect(problemsOf({ ...caps, timeoutMs: 900 }, registeredAs(caps))).toEqual([]);
    expect(problemsOf(at('http://caps.svc/'), registeredAs(caps))).toEqual(['/check only-when-registered']);
    expect(problemsOf(caps, registeredAs(at('http://caps.svc/')))).toEqual(['/check only-when-registered']);
  });
});
