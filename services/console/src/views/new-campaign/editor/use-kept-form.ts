import { useEffect, useMemo, useState } from 'react';
import type { CampaignForm } from '../../../parts/campaign/form.ts';
import { createFormKeeper, tabName } from './kept-form.ts';

const settleMs = 400;

export interface KeptFormState {
  form: CampaignForm;
  setForm: (change: (form: CampaignForm) => CampaignForm) => void;
  /** It differs from what is saved. */
  isChanged: boolean;
  /** When what is typed was kept before this page was opened; null where nothing was. */
  restoredAtMs: number | null;
  /** Back to what is saved. */
  startAnew: () => void;
  /** What is typed now is saved. */
  markSaved: () => void;
}

const wallClockMs = () => Date.now();

/** A form that outlives a reload of the page, in this tab. @param saved what it begins with */
export function useKeptForm(saved: CampaignForm, campaignId: string): KeptFormState {
  const keeper = useMemo(() => createFormKeeper(localStorage, tabName(), campaignId, wallClockMs), [campaignId]);
  const [found] = useState(() => keeper.read());
  const [base, setBase] = useState(saved);
  const [form, setForm] = useState(found?.form ?? saved);
  const [restoredAtMs, setRestoredAtMs] = useState(found?.keptAtMs ?? null);
  const isChanged = useMemo(() => JSON.stringify(form) !== JSON.stringify(base), [form, base]);

  useEffect(() => {
    if (!isChanged) {
      keeper.forget();
      return;
    }
    const timer = setTimeout(() => keeper.keep(form), settleMs);
    // Also what was typed in the last moment before the page is left.
    const leave = () => keeper.keep(form);
    addEventListener('pagehide', leave);
    return () => {
      clearTimeout(timer);
      removeEventListener('pagehide', leave);
    };
  }, [form, isChanged, keeper]);

  return {
    form,
    setForm,
    isChanged,
    restoredAtMs,
    startAnew: () => {
      keeper.forget();
      setForm(base);
      setRestoredAtMs(null);
    },
    markSaved: () => {
      keeper.forget();
      setBase(form);
      setRestoredAtMs(null);
    },
  };
}
