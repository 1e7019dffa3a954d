// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { draft, preview } from '../../../../testing/campaigns/campaigns.ts';
import { openConsole } from '../../../../testing/open-console.tsx';

const answers = {
  'PATCH /v1/campaigns/cmp_draft': () => Response.json({ ...draft, revision: 2 }, { headers: { etag: '"2"' } }),
  'GET /v1/campaigns/cmp_draft': () => Response.json(draft, { headers: { etag: '"1"' } }),
};

async function openDraft(more = {}) {
  const opened = await openConsole('/campaigns/cmp_draft/edit', { answers: { ...answers, ...more } });
  const step = (name: string) => screen.findByRole('group', { name });
  return { ...opened, rewards: await step('Step 1, Give a reward'), messages: await step('Step 2, Send a message') };
}

const variantIn = (step: HTMLElement, name: string) => within(within(step).getByRole('group', { name }));

describe('the variants of a step', () => {
  test('are saved with names, shares and parameters of their own', { timeout: 20_000 }, async () => {
    const { api, user, rewards } = await openDraft();
    await user.click(within(rewards).getByRole('button', { name: 'Variants of step 1' }));
    const b = variantIn(rewards, 'Variant B');
    await user.clear(b.getByLabelText(/Reward id/));
    await user.type(b.getByLabelText(/Reward id/), 'ride-9');
    await user.clear(b.getByLabelText('Variant'));
    await user.type(variantIn(rewards, 'Variant without a name').getByLabelText('Variant'), 'bold');
    await user.type(within(rewards).getByLabelText('Split seed'), 'spring');
    await user.click(screen.getByRole('button', { name: 'Save draft' }));
    await waitFor(() => expect(api.requestsTo('PATCH /v1/campaigns/cmp_draft')).toHaveLength(1));
    const [{ body }] = [api.requestsTo('PATCH /v1/campaigns/cmp_draft')[0] ?? expect.fail()];
    expect(body).toMatchObject({
      splitSeed: 'spring',
      chain: [
        {
          action: 'award-reward',
          params: { units: 2 },
          variants: [
            { name: 'A', weight: 5000, params: { rewardId: 'ride-5' } },
            { name: 'bold', weight: 5000, params: { rewardId: 'ride-9' } },
          ],
        },
        { action: 'send-message' },
      ],
    });
  });

  test('are at most four and at least two, with equal shares', async () => {
    const { user, rewards } = await openDraft();
    await user.click(within(rewards).getByRole('button', { name: 'Variants of step 1' }));
    expect(within(rewards).queryByRole('button', { name: /^Remove variant/ })).toBeNull();
    await user.click(within(rewards).getByRole('button', { name: 'Variant' }));
    await user.click(within(rewards).getByRole('button', { name: 'Variant' }));
    expect(within(rewards).queryByRole('button', { name: 'Variant' })).toBeNull();
    const shares = within(rewards)
      .getAllByLabelText('Share')
      .map((field) => field.getAttribute('value'));
    expect(shares).toEqual(['25', '25', '25', '25']);
    await user.click(within(rewards).getByRole('button', { name: 'Remove variant B' }));
    expect(within(rewards).queryByRole('group', { name: 'Variant B' })).toBeNull();
    expect(within(rewards).getByRole('status').textContent).toBe('The shares add up to 100 %');
  });

  test('show how much of 100 % is missing', async () => {
    const { user, rewards } = await openDraft();
    await user.click(within(rewards).getByRole('button', { name: 'Variants of step 1' }));
    await user.clear(variantIn(rewards, 'Variant B').getByLabelText('Share'));
    await user.type(variantIn(rewards, 'Variant B').getByLabelText('Share'), '40.5');
    expect(within(rewards).getByRole('status').textContent).toBe(
      'The shares add up to 90.5 % so far; 100 % are needed',
    );
  });

  test('continue in a later step with the same names and no shares', async () => {
    const { user, rewards, messages } = await openDraft();
    await user.click(within(rewards).getByRole('button', { name: 'Variants of step 1' }));
    await user.click(within(messages).getByRole('button', { name: 'Vary this step too of step 2' }));
    expect(
      within(messages).getByRole('group', { name: /users keep the variant that they have in step 1/ }),
    ).toBeDefined();
    expect(within(messages).queryByLabelText('Share')).toBeNull();
    await user.click(within(rewards).getByRole('button', { name: 'Without variants in step 1' }));
    expect(within(messages).getAllByLabelText('Share')).toHaveLength(2);
  });

  test('are shown in the start dialog with their expected users', { timeout: 20_000 }, async () => {
    const { user, rewards } = await openDraft();
    await user.click(within(rewards).getByRole('button', { name: 'Variants of step 1' }));
    await user.click(screen.getByRole('button', { name: 'Start…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Start “A draft”?' }, { timeout: 5_000 });
    expect(dialog.textContent).toContain('A about 9,750 · B about 9,750 users. Each user keeps the same variant');
  });

  test('can be chosen after a canary by percentage', { timeout: 30_000 }, async () => {
    const { api, user, rewards } = await openDraft();
    await user.type(screen.getByLabelText('Canary, first'), '20 %');
    expect(screen.queryByLabelText('When the canary users have ended')).toBeNull();
    await user.click(within(rewards).getByRole('button', { name: 'Variants of step 1' }));
    await user.type(screen.getByLabelText('Continues automatically up to'), '5');
    await user.selectOptions(
      screen.getByLabelText('When the canary users have ended'),
      'pause, then choose one for all others',
    );
    expect(screen.queryByLabelText('Continues automatically up to')).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Start…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Start “A draft”?' }, { timeout: 5_000 });
    expect(dialog.textContent).toContain(
      'A about 1,950 · B about 1,950 users of the canary. All others get the variant',
    );
    expect(dialog.textContent).toContain('Then the run pauses until a person chooses the variant of all other users.');
    await user.click(within(dialog).getByRole('button', { name: 'Not yet' }));
    await user.click(screen.getByRole('button', { name: 'Save draft' }));
    await waitFor(() => expect(api.requestsTo('PATCH /v1/campaigns/cmp_draft')).toHaveLength(1));
    expect(api.requestsTo('PATCH /v1/campaigns/cmp_draft')[0]?.body).toMatchObject({
      canary: { percent: 20, then: 'choose-variant' },
    });
  });

  test('show a refused choice at its field', { timeout: 30_000 }, async () => {
    const detail = 'needs a canary by percent';
    const problems = [{ pointer: '/canary/then', code: 'invalid-value', detail }];
    const { user, rewards } = await openDraft({ 'POST /v1/campaigns/preview': { ...preview, problems } });
    await user.click(within(rewards).getByRole('button', { name: 'Variants of step 1' }));
    await user.type(screen.getByLabelText('Canary, first'), '20 %');
    const field = screen.getByLabelText('When the canary users have ended');
    await user.click(screen.getByRole('button', { name: 'Start…' }));
    await waitFor(() => expect(field.getAttribute('aria-invalid')).toBe('true'), { timeout: 5_000 });
    expect(screen.getByText('Needs a canary by percent')).toBeDefined();
  });

  test('show a problem with shared parameters at the first variant', { timeout: 20_000 }, async () => {
    const errors = [
      { pointer: '/chain/0/params/units', code: 'out-of-range', detail: 'has to be at most 100' },
      {
        pointer: '/chain/0/variants',
        code: 'wrong-sum',
        detail: 'the weights have to add up to 10000 (100 %), not 9000',
      },
    ];
    const { user, rewards } = await openDraft({ 'POST /v1/campaigns/preview': { ...preview, problems: errors } });
    await user.click(within(rewards).getByRole('button', { name: 'Variants of step 1' }));
    await user.click(screen.getByRole('button', { name: 'Start…' }));
    await waitFor(() => expect(variantIn(rewards, 'Variant A').getByText('Has to be at most 100')).toBeDefined(), {
      timeout: 5_000,
    });
    expect(within(rewards).getByText('Need shares that add up to 100 %')).toBeDefined();
  });
});
