import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;

/** Serves the controller with Spring Boot and its Tomcat. */
@EnableAutoConfiguration
@Import(WebhookController.class)
public class SpringReceiver {
    public static void main(String[] args) {
        SpringApplication.run(SpringReceiver.class, args);
    }
}
