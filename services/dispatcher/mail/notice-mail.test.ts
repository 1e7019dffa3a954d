import { describe, expect, it } from 'vitest';
import { noticeMailOf } from './notice-mail.ts';

function bodyOf(countries: readonly string[], data: object = {}): Buffer {
  const campaign = { id: 'cmp_1', name: 'Payday', owner: null, tags: [], countries };
  const nothing = { cause: null, figures: null, approval: null, budget: null, digest: null };
  const run = { id: 'run_1', state: 'paused', scheduledFor: '2026-12-01T01:00:00.000Z', startedAt: null };
  const about = { text: 'It is paused', link: 'https://muster.example.com/runs/run_1', campaign, run };
  return Buffer.from(
    JSON.stringify({
      type: 'run.paused',
      timestamp: '2026-12-01T01:12:08.412Z',
      data: { ...nothing, ...about, ...data },
    }),
  );
}

const linesOf = (body: Buffer) => noticeMailOf(body)?.text.split('\n');

describe('the text of a notice by e-mail', () => {
  it('contains the countries of a campaign if it has any, and no missing owner', () => {
    expect(linesOf(bodyOf(['SG']))).toEqual([
      'It is paused',
      '',
      'Campaign: Payday',
      'Countries: SG',
      'Planned for: 2026-12-01T01:00:00.000Z',
      '',
      'https://muster.example.com/runs/run_1',
      '',
      'run.paused, 2026-12-01T01:12:08.412Z',
      '',
    ]);
    expect(linesOf(bodyOf([]))).not.toContain('Countries: ');
  });

  it('has the run as its thread, otherwise the campaign', () => {
    expect(noticeMailOf(bodyOf(['SG']))?.thread).toBe('run_1');
    expect(noticeMailOf(bodyOf(['SG'], { run: null }))?.thread).toBe('cmp_1');
    expect(noticeMailOf(bodyOf(['SG'], { run: null, campaign: null }))?.thread).toBeNull();
  });

  it('is undefined for a body that is not a notice', () => {
    expect([noticeMailOf(Buffer.from('{')), noticeMailOf(Buffer.from('{}'))]).toEqual([undefined, undefined]);
  });
});
