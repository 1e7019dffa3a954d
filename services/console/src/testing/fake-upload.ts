/** Stands where `XMLHttpRequest` stands, which the console uploads files with: a fetch cannot tell how much was sent. */
export function answeringUploads(asked: string[], answer: object, status = 201) {
  return class {
    upload = {};
    status = status;
    responseText = JSON.stringify(answer);
    onload = () => undefined;
    open(method: string, url: string) {
      asked.push(`${method} ${url}`);
    }
    setRequestHeader() {
      // Headers are of no concern here.
    }
    getResponseHeader() {
      return 'application/json';
    }
    send() {
      queueMicrotask(() => this.onload());
    }
  };
}
