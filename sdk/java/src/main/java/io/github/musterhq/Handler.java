package io.github.musterhq;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;

/** A batch endpoint or a receiver, for any HTTP server. */
public interface Handler {
  int maxBodyBytes();

  /** Answers a request. Never throws. */
  Reply handle(String method, String path, Map<String, String> headers, byte[] body);

  /** Returns a server of the JDK that answers at all paths of 127.0.0.1. Call {@code start()}. */
  default HttpServer createServer(int port) throws IOException {
    // Without this, small answers would wait for the acknowledgement of their headers.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 128);
    server.setExecutor(Executors.newCachedThreadPool());
    server.createContext("/", this::exchange);
    return server;
  }

  private void exchange(HttpExchange exchange) throws IOException {
    try (exchange) {
      Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
      exchange.getRequestHeaders().forEach((name, values) -> headers.put(name, values.get(0)));
      byte[] body = exchange.getRequestBody().readNBytes(maxBodyBytes() + 1);
      Reply reply = handle(exchange.getRequestMethod(), exchange.getRequestURI().getPath(), headers, body);
      byte[] content = reply.content();
      reply.headers().forEach(exchange.getResponseHeaders()::set);
      if (content.length > 0) exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(reply.status(), content.length == 0 ? -1 : content.length);
      exchange.getResponseBody().write(content);
    }
  }
}
