import { useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import type { CampaignForm } from '../../../parts/campaign/form.ts';
import { createFormKeeper, tabName, type FormKeeper } from './kept-form.ts';

const settleMs = 400;

export interface KeptFormState {
  form: CampaignForm;
  setForm: (change: (form: CampaignForm) => CampaignForm) => void;
  isChanged: boolean;
  /** Time at which the restored input was stored; null if none was restored. */
  restoredAtMs: number | null;
  discardInput: () => void;
  markSaved: () => void;
}

const wallClockMs = () => Date.now();

/** Keeps a form over reloads of this tab. @param saved initial form */
export function useKeptForm(saved: CampaignForm, campaignId: string): KeptFormState {
  const keeper = useMemo(() => createFormKeeper(localStorage, tabName(), campaignId, wallClockMs), [campaignId]);
  const [found] = useState(() => keeper.read());
  const [base, setBase] = useState(saved);
  const [form, setForm] = useState(found?.form ?? saved);
  const [restoredAtMs, setRestoredAtMs] = useState(found?.keptAtMs ?? null);
  const isChanged = useMemo(() => JSON.stringify(form) !== JSON.stringify(base), [form, base]);

  /** The form, if it has unsaved changes that are not stored yet. */
  const unstored = useRef<CampaignForm>(null);

  useEffect(() => {
    unstored.current = isChanged ? form : null;
    if (!isChanged) {
      keeper.forget();
      return;
    }
    const timer = setTimeout(() => storeNow(keeper, unstored), settleMs);
    return () => clearTimeout(timer);
  }, [form, base, isChanged, keeper]);

  // Stores the latest input when the user leaves the editor, by a link or by closing the page.
  useEffect(() => {
    const leave = () => storeNow(keeper, unstored);
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      leave();
    };
  }, [keeper]);

  const forget = () => {
    unstored.current = null;
    keeper.forget();
    setRestoredAtMs(null);
  };

  return {
    form,
    setForm,
    isChanged,
    restoredAtMs,
    discardInput: () => {
      forget();
      setForm(base);
    },
    markSaved: () => {
      forget();
      setBase(form);
    },
  };
}

function storeNow(keeper: FormKeeper, unstored: RefObject<CampaignForm | null>): void {
  if (unstored.current === null) return;
  keeper.keep(unstored.current);
  unstored.current = null;
}
