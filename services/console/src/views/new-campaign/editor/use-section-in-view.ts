import { useEffect, useState } from 'react';

/**
 * Returns the id of the section that the user is reading: the last section whose header is above the upper third of the
 * window.
 */
export function useSectionInView(ids: readonly string[]): string {
  const [current, setCurrent] = useState(ids[0] ?? '');
  const key = ids.join(' ');
  useEffect(() => {
    const look = () => {
      const sections = key.split(' ').flatMap((id) => document.getElementById(id) ?? []);
      const passed = sections.filter(
        (each) => getComputedStyle(each).position !== 'sticky' && each.getBoundingClientRect().top < innerHeight / 3,
      );
      setCurrent(passed.at(-1)?.id ?? key.split(' ')[0] ?? '');
    };
    look();
    addEventListener('scroll', look, { passive: true });
    return () => removeEventListener('scroll', look);
  }, [key]);
  return current;
}
