import type { Locator, Page } from 'playwright-core';
import { z } from 'zod';
import type { CampaignDefinitionInput } from '../../../sdk/generated/types.gen.ts';
import type { Installation } from '../../e2e/installation.ts';
import type { Hand } from './hand.ts';
import type { JourneyWitness } from './journey-witness.ts';
import { textsOf } from './shown-numbers.ts';

/** Objects that all steps of a journey share. */
export interface Journey {
  muster: Installation;
  witness: JourneyWitness;
  hand: Hand;
}

/** Users who are called before a person lets the run go on. */
export const canaryUsers = 200;

export const badge = (page: Page, state: string) => page.locator('.head .badge', { hasText: state });
export const button = (within: Page | Locator, name: string | RegExp) => within.getByRole('button', { name }).first();
export const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

export async function seen(within: Locator): Promise<string> {
  return (await textsOf(within)).join(' ');
}

export async function definitionOf(journey: Journey, id: string): Promise<CampaignDefinitionInput> {
  const campaign = await (await journey.muster.api.request(`/v1/campaigns/${id}`)).json();
  return definitionShape.parse(campaign);
}

const definitionShape = z.custom<CampaignDefinitionInput>();
