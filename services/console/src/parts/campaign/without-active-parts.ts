const active = 'script, iframe, frame, object, embed, link, base, meta, form, audio, video';

/**
 * Removes what a displayed message must not do: run, embed, or load from other servers. Images of other servers keep
 * their alternative text. The sandbox and the policy of the frame forbid the same; without this they would report it.
 */
export function withoutActiveParts(page: Document): void {
  for (const element of page.querySelectorAll(active)) element.remove();
  for (const element of page.querySelectorAll('*')) {
    for (const { name, value } of [...element.attributes]) {
      const loads = ['src', 'srcset', 'background', 'poster'].includes(name) && !value.startsWith('data:image/');
      if (loads || name.startsWith('on')) element.removeAttribute(name);
    }
  }
}
