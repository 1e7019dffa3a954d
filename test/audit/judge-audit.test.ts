import { describe, expect, it } from 'vitest';
import { judgeAudit } from './judge-audit.ts';

const advisory = { title: 'Request smuggling', url: 'https://github.com/advisories/GHSA-1', severity: 'high' };
const vulnerable = (severity: string, via: unknown[] = [advisory]) => ({ severity, range: '<2.0.1', via, nodes: [] });
const audit = (vulnerabilities: Record<string, unknown>) =>
  judgeAudit(
    JSON.stringify({
      auditReportVersion: 2,
      vulnerabilities,
      metadata: { vulnerabilities: { total: 1 }, dependencies: { prod: 160, dev: 500 } },
    }),
  );

describe('the judgement on runtime packages', () => {
  it('passes if no vulnerability is known', () => {
    expect(audit({})).toEqual({
      passed: true,
      isUnanswered: false,
      words: '160 packages at run time, 0 with a known vulnerability',
    });
  });

  it.each(['high', 'critical'])('fails for a vulnerability of severity %s', (severity) => {
    expect(audit({ undici: vulnerable(severity) })).toEqual({
      passed: false,
      isUnanswered: false,
      words:
        '160 packages at run time, 1 with a known vulnerability\n' +
        `  ${severity}  undici <2.0.1: Request smuggling (https://github.com/advisories/GHSA-1)`,
    });
  });

  it.each(['moderate', 'low', 'info'])('passes for a vulnerability of severity %s and prints it', (severity) => {
    const judged = audit({ pino: vulnerable(severity) });
    expect(judged.passed).toBe(true);
    expect(judged.words).toContain(`${severity}  pino <2.0.1`);
  });

  it('prints vulnerable packages with their dependents, the most severe first', () => {
    const { words } = audit({ pino: vulnerable('low'), fastify: vulnerable('high', ['undici']) });
    expect(words.split('\n').slice(1)).toEqual([
      '  high  fastify <2.0.1: by undici',
      expect.stringContaining('  low  pino'),
    ]);
  });
});

/** Output of npm for a mirror. */
const refused = (statusCode: number) =>
  JSON.stringify({
    message: `${statusCode} - POST https://registry.example.com/-/npm/v1/security/advisories/bulk`,
    method: 'POST',
    statusCode,
    body: '',
    error: { summary: '', detail: '' },
  });

describe('the judgement on an audit', () => {
  it.each([404, 405, 501])('passes without an answer if the registry has no audit endpoint: %d', (statusCode) => {
    expect(judgeAudit(refused(statusCode))).toEqual({
      passed: true,
      isUnanswered: true,
      words: `not audited: this registry has no audit endpoint (it answers ${statusCode})`,
    });
  });

  it.each([
    ['the registry answers 500', refused(500), '500 - POST'],
    ['the registry answers 401', refused(401), '401 - POST'],
    ['the registry cannot be reached', '{"message":"getaddrinfo ENOTFOUND registry.example.com"}', 'ENOTFOUND'],
    ['npm writes nothing', '', 'npm audit wrote no report'],
    ['npm writes no report', '{"vulnerabilities":{}}', 'npm audit wrote no report'],
  ])('fails if %s', (_why, written, words) => {
    const judged = judgeAudit(written);
    expect(judged).toMatchObject({ passed: false, isUnanswered: true });
    expect(judged.words).toContain(`not audited: `);
    expect(judged.words).toContain(words);
  });

  it('fails if the audit covers no package', () => {
    const written = JSON.stringify({ vulnerabilities: {}, metadata: { dependencies: { prod: 0 } } });
    expect(judgeAudit(written).passed).toBe(false);
  });
});
