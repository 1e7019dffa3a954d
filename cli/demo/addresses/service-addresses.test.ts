import { describe, expect, it } from 'vitest';
import { createPaint } from '../../show/paint.ts';
import { describeServices } from './service-addresses.ts';

const installation = { apiUrl: 'http://127.0.0.1:4000', apiKey: 'muster_key' };
const paint = createPaint(false);

describe('the closing text of the demo', () => {
  it('offers a retry of exactly the failed users', () => {
    const text = describeServices(installation, { runId: 'run_1', retryableUsers: 3723 }, paint);
    expect(text).toContain('3,723 users failed. Try exactly those again:');
    expect(text).toContain(
      'MUSTER_API_URL=http://127.0.0.1:4000 MUSTER_API_KEY=muster_key npm run -s muster -- campaign retry-failed run_1',
    );
  });

  it('offers no retry if no user failed', () => {
    expect(describeServices(installation, { runId: 'run_1', retryableUsers: 0 }, paint)).not.toContain('retry-failed');
  });
});
