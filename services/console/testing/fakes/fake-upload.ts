/** Replaces `XMLHttpRequest`, which uploads files because fetch does not report how much was sent. */
export function fakeUploads(requests: string[], answer: object, status = 201) {
  return class {
    upload = {};
    status = status;
    responseText = JSON.stringify(answer);
    onload = () => undefined;
    open(method: string, url: string) {
      requests.push(`${method} ${url}`);
    }
    setRequestHeader() {
      // The tests do not check headers.
    }
    getResponseHeader() {
      return 'application/json';
    }
    send() {
      queueMicrotask(() => this.onload());
    }
  };
}
