import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SkinsmithDoubleTest {
  @RegisterExtension
  static final SkinsmithDouble DOUBLE = new SkinsmithDouble("calm");

  private final HttpClient http = HttpClient.newHttpClient();

  @Test
  void waitsAfterARateLimit() throws IOException, InterruptedException {
    HttpResponse<String> limited = submit("limit-429");
    assertEquals(429, limited.statusCode());
    Thread.sleep(1000L * Long.parseLong(limited.headers().firstValue("Retry-After").orElseThrow()));
    assertEquals(202, submit("limit-429").statusCode());
  }

  private HttpResponse<String> submit(String name) throws IOException, InterruptedException {
    byte[] file = Files.readAllBytes(Path.of(System.getenv().getOrDefault("PICTURE", "smith.png")));
    String picture = Base64.getEncoder().encodeToString(file);
    String body = "{\"url\":\"data:image/png;base64," + picture + "\",\"name\":\"" + name + "\"}";
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(DOUBLE.url() + "/v2/queue"))
            .header("Authorization", "Bearer " + DOUBLE.key())
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    return http.send(request, HttpResponse.BodyHandlers.ofString());
  }
}
